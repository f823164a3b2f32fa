package org.spillway.scaler;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchRecord;
import org.spillway.policy.Limits;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.policy.Wish;
import org.spillway.policy.builtin.AgePolicy;
import org.spillway.policy.builtin.AgeSettings;
import org.spillway.policy.builtin.BudgetCappedPolicy;
import org.spillway.policy.builtin.BudgetCappedSettings;
import org.spillway.policy.builtin.DeadlinePolicy;
import org.spillway.policy.builtin.DeadlineSettings;
import org.spillway.policy.builtin.SchedulePolicy;
import org.spillway.policy.builtin.ScheduleSettings;
import org.spillway.policy.builtin.SpotThenOnDemandPolicy;
import org.spillway.policy.builtin.SpotThenOnDemandSettings;
import org.spillway.scaler.plan.FirstFitPlanner;

/** Promises of age, deadline, spot-then-on-demand, schedule and budget-capped. */
final class BuiltInPromisesTest extends PromisesScene {

    // age

    @Test
    void ageBuysForAShapeWhenItsOldestJobIsOldEnough() {
        offers(SMALL, "1.00");
        waits("s", 3, Duration.ofSeconds(599));
        AgeSettings tenMinutes = AgeSettings.thresholds(0, Duration.ofMinutes(10));
        assertThat(nodesIn(decide(new AgePolicy(), tenMinutes))).isZero();
        assertThat(held(decide(new AgePolicy(), tenMinutes))).contains("ageThreshold");
        demands.clear();
        waits("s", 3, Duration.ofSeconds(600));
        assertThat(nodesIn(decide(new AgePolicy(), tenMinutes))).isEqualTo(3);
    }

    @Test
    void ageCountsTheJobsOfAQueueNotOfAShape() {
        offers(SMALL, "1.00");
        waits("a", "q", 3, Duration.ZERO, null, 0);
        waits("b", "q", 1, Duration.ZERO, null, 0);
        waits("c", "other", 3, Duration.ZERO, null, 0);
        List<Wish> wishes = decide(new AgePolicy(), AgeSettings.thresholds(4, Duration.ZERO));
        assertThat(nodesIn(wishes)).isEqualTo(4);
        assertThat(held(wishes)).isEqualTo("3 of 4 jobs wait in queue other (queueLengthThreshold)");
    }

    @Test
    void ageLetsNoMoreJobsShareANewNodeThanWorkloadsPerNode() {
        offers(SMALL, "1.00");
        demands.add(small("tiny", 8));
        AgeSettings all = AgeSettings.DEFAULTS;
        assertThat(nodesIn(decide(new AgePolicy(), all))).isEqualTo(1);
        AgeSettings two = new AgeSettings(0, Duration.ZERO, 2, 0, all.idleTime(), 1000);
        assertThat(nodesIn(decide(new AgePolicy(), two))).isEqualTo(4);
    }

    @Test
    void ageBuysExtraNodesWithTheFirstOfASiteOnly() {
        offers(SMALL, "1.00");
        waits("s", 2, Duration.ZERO);
        AgeSettings extra = new AgeSettings(0, Duration.ZERO, 0, 3, Duration.ofSeconds(300), 1000);
        assertThat(nodesIn(decide(new AgePolicy(), extra))).isEqualTo(5);
        node("n", SMALL, NodeView.Phase.ALLOCATED, null, 0);
        assertThat(nodesIn(decide(new AgePolicy(), extra))).isEqualTo(2);
    }

    // deadline

    @Test
    void deadlineBuysAtTheLastMomentThatKeepsIt() {
        offers(SMALL, "1.00");
        // An hour to run, a minute to boot, ten minutes of slack.
        waits("s", "q", 1, Duration.ZERO, Duration.ofMinutes(71).plusSeconds(1), 0);
        assertThat(nodesIn(decide(new DeadlinePolicy(), DeadlineSettings.DEFAULTS)))
                .isZero();
        demands.clear();
        waits("s", "q", 1, Duration.ZERO, Duration.ofMinutes(71), 0);
        assertThat(nodesIn(decide(new DeadlinePolicy(), DeadlineSettings.DEFAULTS)))
                .isEqualTo(1);
    }

    @Test
    void deadlineServesTheLeastLaxityFirstAndTheLateOnesToo() {
        offers(SMALL, "1.00");
        waits("soon", "q", 1, Duration.ofHours(2), Duration.ofMinutes(70), 0);
        waits("late", "q", 1, Duration.ofHours(1), Duration.ofMinutes(5), 0);
        List<Wish> wishes = decide(new DeadlinePolicy(), DeadlineSettings.DEFAULTS);
        assertThat(nodesIn(wishes)).isEqualTo(2);
        assertThat(provisions(wishes).getFirst().shapes()).contains("late");
    }

    @Test
    void deadlineLetsJobsWithoutOneBePatient() {
        offers(SMALL, "1.00");
        waits("s", 1, Duration.ofMinutes(29));
        assertThat(held(decide(new DeadlinePolicy(), DeadlineSettings.DEFAULTS)))
                .contains("patience");
        demands.clear();
        waits("s", 1, Duration.ofMinutes(30));
        assertThat(nodesIn(decide(new DeadlinePolicy(), DeadlineSettings.DEFAULTS)))
                .isEqualTo(1);
    }

    // spot-then-on-demand

    private static final OfferingId SPOT = id("home", "small", Market.SPOT);
    private static final OfferingId SPOT_BIG = id("home", "big", Market.SPOT);
    private static final OfferingId LISTED = id("home", "small", Market.ON_DEMAND);
    private static final OfferingId FAR = id("west", "small", Market.SPOT);

    private List<OfferingId> climbed(Duration age, SpotThenOnDemandSettings settings) {
        demands.clear();
        waits("s", 1, age);
        ClusterSnapshot now = withHome();
        List<Wish> wishes = new SpotThenOnDemandPolicy().decide(now, settings, new FirstFitPlanner(now));
        return provisions(wishes).isEmpty()
                ? List.of()
                : provisions(wishes).getFirst().offerings();
    }

    private ClusterSnapshot withHome() {
        ClusterSnapshot now = snapshot();
        return ClusterSnapshot.of(draft -> {
            draft.schema = now.schema();
            draft.now = NOW;
            draft.demands = demands;
            draft.nodes = nodes;
            draft.offerings = offerings;
            draft.statuses = statuses;
            draft.limits = new Limits(Map.of("home", 100, "east", 100, "west", 100), left);
            draft.windows = windows;
        });
    }

    @Test
    void spotClimbsOneStepAfterTheOther() {
        offers(SPOT, "0.30");
        offers(SPOT_BIG, "0.40");
        offers(LISTED, "1.00");
        offers(FAR, "0.10");
        SpotThenOnDemandSettings usual = SpotThenOnDemandSettings.DEFAULTS;
        assertThat(climbed(Duration.ZERO, usual)).containsExactly(SPOT);
        assertThat(climbed(Duration.ofMinutes(5), usual)).containsExactly(SPOT, SPOT_BIG);
        assertThat(climbed(Duration.ofMinutes(10), usual)).containsExactly(SPOT, SPOT_BIG, LISTED);
        assertThat(climbed(Duration.ofMinutes(20), usual)).containsExactly(SPOT, SPOT_BIG, LISTED, FAR);
    }

    @Test
    void spotSkipsAStepOnWhichNothingCanBeHad() {
        offers(SPOT, "0.30");
        offers(LISTED, "1.00");
        statuses.add(
                new OfferingStatus(SPOT, NOW.plusSeconds(90), 1, Duration.ofSeconds(60), "refused for capacity", 0));
        assertThat(climbed(Duration.ZERO, SpotThenOnDemandSettings.DEFAULTS)).containsExactly(LISTED);
        SpotThenOnDemandSettings waiting = new SpotThenOnDemandSettings(
                Duration.ofMinutes(5), Duration.ofMinutes(10), Duration.ofMinutes(20), false, Duration.ZERO, 1000);
        assertThat(climbed(Duration.ZERO, waiting)).containsExactly(SPOT);
    }

    @Test
    void spotCountsFromTheLastLaunchThatWasGranted() {
        offers(SPOT, "0.30");
        offers(LISTED, "1.00");
        waits("s", 1, Duration.ofHours(1));
        Demand old = demands.removeFirst();
        LaunchRecord granted = new LaunchRecord(NOW.minusSeconds(60), SPOT, 4, new LaunchOutcome.Launched(4));
        demands.add(old.with(draft -> {
            draft.nodes = 1;
            draft.jobs = 1;
            draft.features = Set.of();
            draft.stageInRest = Map.of();
            draft.history = List.of(granted);
        }));
        ClusterSnapshot now = withHome();
        List<Wish> wishes =
                new SpotThenOnDemandPolicy().decide(now, SpotThenOnDemandSettings.DEFAULTS, new FirstFitPlanner(now));
        assertThat(provisions(wishes).getFirst().offerings()).containsExactly(SPOT);
    }

    @Test
    void scheduleBuysWhatAWindowLacks() {
        offers(SMALL, "1.00");
        window("monday", "small", 5);
        window("all", "", 3);
        node("n1", SMALL, NodeView.Phase.ALLOCATED, null, 0);
        node("n2", SMALL, NodeView.Phase.IDLE, null, 0);
        List<Wish> wishes = decide(new SchedulePolicy(), ScheduleSettings.DEFAULTS);
        assertThat(nodesIn(wishes)).isEqualTo(3);
        assertThat(released(wishes)).isEmpty();
        assertThat(provisions(wishes).getFirst().reason()).startsWith("window ");
    }

    @Test
    void scheduleGivesBackWhatNoWindowWants() {
        offers(SMALL, "1.00");
        window("monday", "small", 1);
        node("n1", SMALL, NodeView.Phase.IDLE, null, 0);
        node("n2", SMALL, NodeView.Phase.IDLE, null, 0);
        assertThat(released(decide(new SchedulePolicy(), ScheduleSettings.DEFAULTS)))
                .containsExactly("n2");
    }

    // budget-capped

    @Test
    void budgetIsGivenOutInSlices() {
        offers(SMALL, "1.00");
        waits("s", 100, Duration.ZERO);
        // 240 for a day of which 3 hours and a half are over: 40 are open, 24 ahead, 8 are spent.
        period = new Limits.Period(
                Money.parse("240"),
                NOW.minusSeconds(12_600),
                NOW.minusSeconds(12_600).plusSeconds(86_400));
        left = Money.parse("232");
        List<Wish> wishes = decide(new BudgetCappedPolicy(), BudgetCappedSettings.DEFAULTS);
        // Each node commits its hour and a boot of a minute.
        assertThat(nodesIn(wishes)).isEqualTo(55);
        BudgetCappedSettings strict =
                new BudgetCappedSettings(BudgetCappedSettings.Slice.HOUR, 0, Duration.ofSeconds(300), 1000);
        assertThat(nodesIn(decide(new BudgetCappedPolicy(), strict))).isEqualTo(31);
        left = Money.parse("200");
        assertThat(held(decide(new BudgetCappedPolicy(), strict))).contains("the budget is to last");
    }
}
