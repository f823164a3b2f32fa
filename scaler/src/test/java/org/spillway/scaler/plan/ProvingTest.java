package org.spillway.scaler.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.spillway.policy.ClusterSnapshot.Breaker;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.scaler.plan.Breakers.NodeOutcome;
import org.spillway.scaler.plan.Breakers.Stage;

/** A large launch does not cost what a breaker would have saved. */
class ProvingTest {
    private static final Instant NOON = Instant.parse("2026-11-22T12:00:00Z");
    private static final OfferingId ONE = new OfferingId("east", "a", "one", Market.ON_DEMAND);
    private static final Breakers.Settings SETTINGS = Breakers.Settings.DEFAULTS;

    private static NodeOutcome outcome(int second, Stage stage) {
        return new NodeOutcome(NOON.plusSeconds(second), ONE, stage, "", "", "", null);
    }

    private static List<NodeOutcome> failures(int count) {
        List<NodeOutcome> outcomes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            outcomes.add(outcome(i, Stage.FAILED));
        }
        return outcomes;
    }

    private static int budget(List<NodeOutcome> outcomes, List<Breakers.State> breakers, int underWay) {
        List<OfferingStatus> cut =
                Proving.cut(List.of(), List.of(ONE), outcomes, breakers, Map.of(ONE, underWay), SETTINGS);
        return cut.isEmpty()
                ? OfferingHealth.HEALTHY_LAUNCH_BUDGET
                : cut.getFirst().launchBudget();
    }

    @Test
    void whatNeverCameUpIsTriedByTheHundred() {
        assertThat(budget(List.of(), List.of(), 0)).isEqualTo(100);
        assertThat(budget(List.of(outcome(0, Stage.ORDERED)), List.of(), 30)).isEqualTo(70);
        assertThat(budget(List.of(), List.of(), 120)).isZero();
    }

    @Test
    void oneThatJoinedProvesIt() {
        for (Stage stage : List.of(Stage.JOINED, Stage.USED, Stage.UNUSED)) {
            assertThat(budget(List.of(outcome(0, stage)), List.of(), 500))
                    .as(stage.name())
                    .isEqualTo(OfferingHealth.HEALTHY_LAUNCH_BUDGET);
        }
    }

    @Test
    void afterFailuresNoMoreIsUnderWayThanTheBreakerWaitsFor() {
        assertThat(budget(failures(7), List.of(), 1)).isEqualTo(2);
        assertThat(budget(failures(30), List.of(), 0))
                .as("a probe is always possible")
                .isEqualTo(1);
        List<NodeOutcome> then = failures(7);
        then.add(outcome(60, Stage.JOINED));
        assertThat(budget(then, List.of(), 0)).isEqualTo(OfferingHealth.HEALTHY_LAUNCH_BUDGET);
    }

    @Test
    void whatWasBeforeABreakerWasClosedDoesNotCount() {
        Breakers.State closed = new Breakers.State(
                Breaker.Kind.POOL, "east", false, new BreakerSight.ClosedByHand("ada"), NOON.plusSeconds(100));
        assertThat(budget(failures(9), List.of(closed), 0)).isEqualTo(100);
    }

    @Test
    void aShortageStaysTheReason() {
        OfferingStatus out =
                new OfferingStatus(ONE, NOON.plusSeconds(60), 1, Duration.ofSeconds(20), "refused for capacity", 0);
        assertThat(Proving.cut(List.of(out), List.of(ONE), List.of(), List.of(), Map.of(), SETTINGS))
                .containsExactly(out);
        Breakers.Settings never =
                new Breakers.Settings(0, 45, 3, Duration.ofMinutes(2), 10, 0, SickGroups.Settings.DEFAULTS);
        assertThat(Proving.cut(List.of(), List.of(ONE), failures(20), List.of(), Map.of(), never))
                .as("both are off")
                .isEmpty();
    }
}
