package org.spillway.cloud;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.policy.Offering;

/** The offerings of a site. */
abstract class OfferingDuties extends Duties {
    OfferingDuties(ProviderUnderTest provider) {
        super(provider);
    }

    @Test
    void areOfThisSiteWithResourcesAndPrices() throws Exception {
        List<Offering> offerings = site.compute().offerings();
        assertThat(offerings)
                .extracting(Offering::id)
                .contains(provider.offering("here"))
                .doesNotHaveDuplicates();
        assertThat(offerings).allSatisfy(offering -> {
            assertThat(offering.id().site()).isEqualTo("here");
            assertThat(offering.resources().cpus()).isPositive();
            assertThat(offering.resources().memoryBytes()).isPositive();
            assertThat(offering.pricePerHour().micros()).isNotNegative();
        });
    }
}
