package org.spillway.localcloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.spillway.cloud.CallMeter;
import org.spillway.cloud.CloudDriverContract;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Site;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

/** A driver's contract against a local cloud, whatever API that wears: what it sells, and how it is brought to bad luck. */
public abstract class EmulatedContract extends CloudDriverContract {
    /** The provider's wares, as its configuration says them. */
    protected static final String CATALOGUE = """
            zones: [a]
            types:
              - {name: small, cpus: 2, memoryGiB: 4, bootSeconds: 0.05}
              - {name: medium, cpus: 4, memoryGiB: 8, bootSeconds: 0.05}
              - {name: near, cpus: 4, memoryGiB: 8, bootSeconds: 0.05, fabric: efa}
              - {name: paper, cpus: 1, memoryGiB: 1, process: false, capacity: 20000, bootSeconds: 0}
            """;

    protected abstract LocalCloudProcess cloud();

    /** Published answers of the worn API that ask for a pause, by name; empty for the cloud's own, which never does. */
    protected List<String> pauses() {
        return List.of();
    }

    /** The action, as the worn API calls it, of which a listing is made. */
    protected String listingAction() {
        return "";
    }

    @Test
    void obeysThePauseThatItIsAskedForInEachPublishedForm() throws Exception {
        for (String form : pauses()) {
            long before = struck(form);
            cloud().fault(Map.of(
                    "kind", "answer", "form", form, "type", listingAction(), "seconds", 1200, "count", 1000));
            try (Site fresh = open("contract", "paused", false)) {
                assertThatThrownBy(() -> fresh.compute().list())
                        .as(form)
                        .isInstanceOfSatisfying(
                                CloudException.class,
                                refused -> assertThat(refused.reason()).isEqualTo(Reason.THROTTLED));
                assertThat(struck(form)).as(form).isEqualTo(before + 1);
                for (int i = 0; i < 5; i++) {
                    assertThatThrownBy(() -> fresh.compute().list())
                            .as(form)
                            .hasMessageContaining("the provider asked for a pause until");
                }
                assertThat(struck(form))
                        .as("calls during the pause of %s", form)
                        .isEqualTo(before + 1);
            } finally {
                clearFaults();
            }
        }
    }

    @Test
    void goesOnWhenThePauseIsOver() throws Exception {
        try (Site fresh = open("contract", "paused", false)) {
            for (String form : pauses().stream().limit(1).toList()) {
                cloud().fault(Map.of("kind", "answer", "form", form, "type", listingAction(), "seconds", 1));
                assertThatThrownBy(() -> fresh.compute().list()).isInstanceOf(CloudException.class);
            }
            LocalCloudProcess.await(
                    () -> {
                        try {
                            return fresh.compute().list().isEmpty();
                        } catch (CloudException stillHeld) {
                            assertThat(stillHeld).hasMessageContaining("asked for a pause");
                            return false;
                        }
                    },
                    empty -> empty);
        }
    }

    @Test
    void aListingIsFewCallsAndEachIsCounted() throws Exception {
        try (Site fresh = open("contract", "counted", false)) {
            assertThat(fresh.calls().isPresent()).isEqualTo(!pauses().isEmpty());
            if (fresh.calls().isPresent()) {
                CallMeter meter = fresh.calls().get();
                fresh.compute().list();
                long before = meter.total(CallMeter.Kind.READ);
                fresh.compute().list();
                assertThat(meter.total(CallMeter.Kind.READ) - before).isBetween(1L, 4L);
                assertThat(meter.total(CallMeter.Kind.CHANGE))
                        .as("no change but the login")
                        .isLessThanOrEqualTo(1);
            }
        }
    }

    /** Calls that were answered so. */
    private long struck(String form) throws IOException {
        try (Stream<String> lines = Files.lines(cloud().state().resolve("requests.log"))) {
            return lines.filter(line -> line.contains(" published " + form + " "))
                    .count();
        }
    }

    @Override
    protected void arrange(Luck luck) throws Exception {
        cloud().arrange(luck);
    }

    @Override
    protected void clearFaults() throws Exception {
        cloud().clearFaults();
    }

    @Override
    protected Set<String> roles() {
        return Set.of("power", "console", "network", "inventory");
    }

    @Override
    protected OfferingId offering(String siteName) {
        return new OfferingId(siteName, "a", "small", Market.ON_DEMAND);
    }

    @Override
    protected OfferingId otherOffering(String siteName) {
        return new OfferingId(siteName, "a", "medium", Market.ON_DEMAND);
    }

    @Override
    protected Optional<OfferingId> fabricOffering(String siteName) {
        return Optional.of(new OfferingId(siteName, "a", "near", Market.ON_DEMAND));
    }

    @Override
    protected OfferingId cheapOffering(String siteName) {
        return new OfferingId(siteName, "a", "paper", Market.SPOT);
    }

    @Override
    protected int manyInstances() {
        return 1001;
    }
}
