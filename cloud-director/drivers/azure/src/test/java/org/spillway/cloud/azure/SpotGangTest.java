package org.spillway.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Site;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.Market;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;

/** Finding C6: gangs with InfiniBand went into an availability set, which spot refuses. */
final class SpotGangTest {
    @TempDir
    private static Path directory;

    private static ArmCloud cloud;

    @BeforeAll
    static void startCloud() throws Exception {
        cloud = new ArmCloud(directory, """
                zones: [a]
                types:
                  - {name: near, cpus: 2, memoryGiB: 4, process: false, bootSeconds: 0, fabric: infiniband,
                     pricePerHour: "1", spotPricePerHour: "0.4"}
                """);
    }

    @AfterAll
    static void endCloud() throws Exception {
        cloud.close();
    }

    @Test
    void spotHasNoInfiniBandAndAGangOfItNoAvailabilitySet() throws Exception {
        Map<String, String> options = cloud.options();
        options.put("subnet", cloud.subnet());
        try (Site site = cloud.open("c", "gangs", options)) {
            List<Offering> offerings = site.compute().offerings();
            assertThat(offerings)
                    .filteredOn(each -> each.id().market() == Market.SPOT)
                    .isNotEmpty()
                    .noneMatch(each -> each.features().contains(Size.INFINIBAND));
            assertThat(offerings)
                    .filteredOn(each -> each.id().market() == Market.ON_DEMAND)
                    .isNotEmpty()
                    .allMatch(each -> each.features().contains(Size.INFINIBAND));
            for (Market market : List.of(Market.SPOT, Market.ON_DEMAND)) {
                OfferingId id = new OfferingId("gangs", "local", "near", market);
                LaunchRequest request = new LaunchRequest(
                        "i-" + market.text(),
                        1,
                        id,
                        2,
                        "",
                        "",
                        Map.of(),
                        List.of(),
                        new LaunchRequest.Placement("gang-" + market.text(), ""));
                assertThat(site.compute().launch(request).outcome()).isEqualTo(new LaunchOutcome.Launched(2));
            }
        }
    }
}
