package org.spillway.cloud.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Look;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

/** Looks at an instance, by listing and by id. */
final class SightingTest {
    private static final Instant NOW = Instant.parse("2026-01-05T08:00:00Z");
    private static final FleetRules ASKED = FleetRules.of(Duration.ofSeconds(20), true);
    private static final FleetRules MUTE = FleetRules.of(Duration.ofSeconds(20), false);

    @Test
    void whatTheIdFindsLivesAgainstTheListing() {
        Sighting sighting = sighting(0, null, new Look.Found(machine(Instance.State.RUNNING)));
        assertThat(sighting.alive()).contains(machine(Instance.State.RUNNING));
        assertThat(sighting.after(null)).isNull();
    }

    @Test
    void whatIsMissingAndDeniedIsGone() {
        assertThat(isGone(ASKED, sighting(0, null, new Look.Denied("NotFound"))))
                .isTrue();
        assertThat(isGone(
                        ASKED,
                        sighting(
                                0,
                                machine(Instance.State.TERMINATED),
                                new Look.Found(machine(Instance.State.TERMINATED)))))
                .isTrue();
    }

    @Test
    void oneLookThatNobodyConfirmsProvesNothing() {
        assertThat(isGone(ASKED, sighting(0, null, new Look.Unsure("?")))).isFalse();
        assertThat(isGone(MUTE, sighting(0, null, null))).isFalse();
        assertThat(isGone(MUTE, sighting(0, null, null), sighting(29, null, null)))
                .isFalse();
        assertThat(isGone(MUTE, sighting(0, null, null), sighting(30, null, null)))
                .isTrue();
    }

    @Test
    void oneThatWasSeenInBetweenBeginsAnew() {
        assertThat(isGone(
                        MUTE,
                        sighting(0, null, null),
                        sighting(15, machine(Instance.State.STOPPED), null),
                        sighting(30, null, null)))
                .isFalse();
    }

    private static boolean isGone(FleetRules rules, Sighting... sightings) {
        Lapse lapse = null;
        for (Sighting each : sightings) {
            lapse = each.after(lapse);
        }
        return lapse != null && lapse.isProven(rules);
    }

    private static Sighting sighting(int second, @Nullable Instance listed, @Nullable Look look) {
        return new Sighting(NOW.plusSeconds(second), listed, look);
    }

    private static Instance machine(Instance.State state) {
        return Instance.of("m1", new OfferingId("here", "a", "std", Market.ON_DEMAND), state, NOW, Map.of());
    }
}
