package org.spillway.scaler;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchRecord;
import org.spillway.policy.Limits;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.policy.Resources;
import org.spillway.policy.ScalingPolicy;
import org.spillway.policy.ScheduleWindow;
import org.spillway.policy.Wish;
import org.spillway.policy.builtin.AgePolicy;
import org.spillway.policy.builtin.AgeSettings;
import org.spillway.policy.builtin.BudgetCappedPolicy;
import org.spillway.policy.builtin.BudgetCappedSettings;
import org.spillway.policy.builtin.ChainPolicy;
import org.spillway.policy.builtin.CostFirstPolicy;
import org.spillway.policy.builtin.CostFirstSettings;
import org.spillway.policy.builtin.DeadlinePolicy;
import org.spillway.policy.builtin.DeadlineSettings;
import org.spillway.policy.builtin.HouseRules;
import org.spillway.policy.builtin.SchedulePolicy;
import org.spillway.policy.builtin.ScheduleSettings;
import org.spillway.policy.builtin.SpotThenOnDemandPolicy;
import org.spillway.policy.builtin.SpotThenOnDemandSettings;
import org.spillway.scaler.plan.FirstFitPlanner;

/** The promise of each built-in policy, in one small scene each: 8-CPU nodes for 1.00 an hour, jobs of one hour. */
class BuiltInPromisesTest {
    private static final Instant NOW = Scene.NOW;
    private static final Resources NODE = Resources.of(8, 32L << 30, 0);

    private final List<Demand> demands = new ArrayList<>();
    private final List<NodeView> nodes = new ArrayList<>();
    private final List<Offering> offerings = new ArrayList<>();
    private final List<OfferingStatus> statuses = new ArrayList<>();
    private final List<ScheduleWindow> windows = new ArrayList<>();
    private Limits.@Nullable Period period;
    private Money left = Money.parse("1000");

    private static OfferingId id(String site, String type, Market market) {
        return new OfferingId(site, "a", type, market);
    }

    private static final OfferingId SMALL = id("east", "small", Market.ON_DEMAND);

    private void offers(OfferingId id, String price) {
        offerings.add(new Offering(id, NODE, Money.parse(price), Set.of()));
    }

    private void waits(
            String shape, String queue, int jobs, Duration age, @Nullable Duration deadlineIn, long priority) {
        Duration hour = Duration.ofHours(1);
        demands.add(Demand.of(draft -> {
            draft.shape = shape;
            draft.queue = queue;
            draft.perNode = Resources.of(8, 16L << 30, 0);
            draft.jobs = jobs;
            draft.oldestSubmit = NOW.minus(age);
            draft.walltime = hour;
            draft.sites = List.of("home", "east", "west");
            draft.terms = new Demand.Terms(
                    "", "", priority, Map.of(), deadlineIn == null ? null : NOW.plus(deadlineIn), hour, Map.of());
        }));
    }

    private void waits(String shape, int jobs, Duration age) {
        waits(shape, "q", jobs, age, null, 0);
    }

    /** At home or in the cloud. */
    private void node(
            String name,
            @Nullable OfferingId offering,
            NodeView.Phase phase,
            @Nullable Duration busyFor,
            long billedFor) {
        nodes.add(new NodeView(
                name,
                offering == null ? "home" : offering.site(),
                offering,
                phase,
                NODE,
                phase == NodeView.Phase.ALLOCATED ? Resources.NONE : NODE,
                NOW.minusSeconds(1200),
                offering == null ? Money.ZERO : Money.parse("1.00"),
                false,
                new NodeView.Duty(
                        busyFor == null ? null : NOW.plus(busyFor),
                        "",
                        Set.of(),
                        offering == null ? null : NOW.minus(Duration.ofMinutes(billedFor)))));
    }

    private ClusterSnapshot snapshot() {
        return ClusterSnapshot.of(draft -> {
            draft.now = NOW;
            draft.demands = demands;
            draft.nodes = nodes;
            draft.offerings = offerings;
            draft.statuses = statuses;
            draft.limits = new Limits(Map.of("home", 0, "east", 100, "west", 100), left, List.of(), period);
            draft.windows = windows;
        });
    }

    private <S extends Record> List<Wish> decide(ScalingPolicy<S> policy, S settings) {
        ClusterSnapshot now = snapshot();
        return policy.decide(now, settings, new FirstFitPlanner(now));
    }

    private static List<Wish.Provision> provisions(List<Wish> wishes) {
        return wishes.stream()
                .filter(Wish.Provision.class::isInstance)
                .map(Wish.Provision.class::cast)
                .toList();
    }

    private static int nodesIn(List<Wish> wishes) {
        return provisions(wishes).stream().mapToInt(Wish.Provision::count).sum();
    }

    private static List<String> released(List<Wish> wishes) {
        return wishes.stream()
                .filter(Wish.Release.class::isInstance)
                .flatMap(wish -> ((Wish.Release) wish).nodes().stream())
                .toList();
    }

    private static String held(List<Wish> wishes) {
        return wishes.stream()
                .filter(Wish.Hold.class::isInstance)
                .map(Wish::reason)
                .findFirst()
                .orElse("");
    }

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

    private static Demand small(String shape, int jobs) {
        return Demand.of(draft -> {
            draft.shape = shape;
            draft.perNode = Resources.of(1, 1L << 30, 0);
            draft.jobs = jobs;
            draft.oldestSubmit = NOW;
            draft.walltime = Duration.ofHours(1);
            draft.sites = List.of("east");
        });
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

    // cost-first

    private static CostFirstSettings worth(String valueOfHour) {
        CostFirstSettings usual = CostFirstSettings.DEFAULTS;
        return new CostFirstSettings(
                Money.parse(valueOfHour), 100, Duration.ZERO, usual.idleTime(), usual.maxNodesPerTick());
    }

    @Test
    void costFirstWaitsForHomeWhileThatIsWorthIt() {
        offers(SMALL, "1.00");
        waits("s", 1, Duration.ZERO);
        node("h", null, NodeView.Phase.ALLOCATED, Duration.ofMinutes(30), 0);
        // A run in the cloud costs a little more than 1.00, so at 1.00 an hour it may wait for about an hour.
        assertThat(held(decide(new CostFirstPolicy(), worth("1.00")))).contains("at home");
        assertThat(nodesIn(decide(new CostFirstPolicy(), worth("4.00")))).isEqualTo(1);
    }

    @Test
    void costFirstBuysForThoseOnlyThatHomeDoesNotServeInTime() {
        offers(SMALL, "1.00");
        waits("s", 10, Duration.ZERO);
        node("h1", null, NodeView.Phase.ALLOCATED, Duration.ofMinutes(30), 0);
        node("h2", null, NodeView.Phase.IDLE, null, 0);
        // Within the hour and two minutes h1 starts one job and h2 two.
        assertThat(nodesIn(decide(new CostFirstPolicy(), worth("1.00")))).isEqualTo(7);
    }

    @Test
    void costFirstBuysAtOnceWhereNobodyKnowsWhenHomeIsFree() {
        offers(SMALL, "1.00");
        waits("s", 2, Duration.ZERO);
        assertThat(nodesIn(decide(new CostFirstPolicy(), worth("0.01")))).isEqualTo(2);
        node("h", null, NodeView.Phase.ALLOCATED, null, 0);
        assertThat(nodesIn(decide(new CostFirstPolicy(), worth("0.01")))).isEqualTo(2);
    }

    @Test
    void costFirstTakesADearerNodeThatIsThereSoonerWhenTimeIsWorthIt() {
        OfferingId fast = id("east", "fast", Market.ON_DEMAND);
        offers(SMALL, "1.00");
        offers(fast, "1.10");
        statuses.add(new OfferingStatus(SMALL, null, 1000, Duration.ofMinutes(30), ""));
        waits("s", 1, Duration.ZERO);
        assertThat(first(decide(new CostFirstPolicy(), worth("10")))).isEqualTo(fast);
    }

    @Test
    void costFirstWaitsNoLongerThanMostWait() {
        offers(SMALL, "1.00");
        waits("s", 1, Duration.ofMinutes(20));
        node("h", null, NodeView.Phase.ALLOCATED, Duration.ofMinutes(30), 0);
        CostFirstSettings impatient =
                new CostFirstSettings(Money.parse("1.00"), 100, Duration.ofMinutes(40), Duration.ofSeconds(300), 1000);
        assertThat(nodesIn(decide(new CostFirstPolicy(), impatient))).isEqualTo(1);
    }

    private static OfferingId first(List<Wish> wishes) {
        return provisions(wishes).getFirst().offerings().getFirst();
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
        statuses.add(new OfferingStatus(SPOT, NOW.plusSeconds(90), 1, Duration.ofSeconds(60), "refused for capacity"));
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

    // schedule

    private void window(String name, String type, int count) {
        windows.add(new ScheduleWindow(
                name,
                NOW.minusSeconds(60),
                NOW.plusSeconds(3600),
                new ScheduleWindow.Warm("east", type, Market.ON_DEMAND, count)));
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

    // chain and rules

    private static ChainPolicy.Settings chain(HouseRules rules, String... names) {
        return new ChainPolicy.Settings(
                List.of(names).stream()
                        .map(name -> new ChainPolicy.Member(name, Map.of()))
                        .toList(),
                rules);
    }

    @Test
    void chainTakesTheFirstAnswerThatIsNoHold() {
        offers(SMALL, "1.00");
        waits("patient", 1, Duration.ofMinutes(1));
        waits("old", 2, Duration.ofHours(1));
        ChainPolicy chain = new ChainPolicy();
        assertThat(nodesIn(decide(chain, chain(HouseRules.NONE, "deadline")))).isEqualTo(2);
        List<Wish> both = decide(chain, chain(HouseRules.NONE, "deadline", "queue-depth"));
        assertThat(nodesIn(both)).isEqualTo(3);
        assertThat(held(both)).isEmpty();
    }

    @Test
    void chainKeepsWhatAWindowWantsFromTheOthers() {
        offers(SMALL, "1.00");
        window("monday", "small", 1);
        node("n1", SMALL, NodeView.Phase.IDLE, null, 0);
        node("n2", SMALL, NodeView.Phase.IDLE, null, 0);
        assertThat(released(decide(new ChainPolicy(), chain(HouseRules.NONE, "schedule", "queue-depth"))))
                .containsExactly("n2");
    }

    @Test
    void chainIsCutByTheBudgetAtTheEnd() {
        offers(SMALL, "1.00");
        waits("s", 100, Duration.ZERO);
        left = Money.parse("240");
        period = new Limits.Period(left, NOW.minusSeconds(60), NOW.plusSeconds(86_340));
        assertThat(nodesIn(decide(new ChainPolicy(), chain(HouseRules.NONE, "budget-capped", "queue-depth"))))
                .isEqualTo(33);
    }

    private static HouseRules rules(String keepNodes, String keepSites, String running) {
        HouseRules none = HouseRules.NONE;
        return new HouseRules(
                keepNodes, keepSites, running, none.wholeTime(), none.stoppingAllowance(), true, 0, 0, 0, "");
    }

    private List<String> releasedUnder(HouseRules rules) {
        return released(decide(new ChainPolicy(), chain(rules, "queue-depth")));
    }

    @Test
    void rulesKeepNodesSitesAndANumberRunning() {
        offers(SMALL, "1.00");
        node("n1", SMALL, NodeView.Phase.IDLE, null, 0);
        node("n2", SMALL, NodeView.Phase.IDLE, null, 0);
        node("n3", SMALL, NodeView.Phase.IDLE, null, 0);
        assertThat(releasedUnder(HouseRules.NONE)).containsExactly("n1", "n2", "n3");
        assertThat(releasedUnder(rules("n2", "", ""))).containsExactly("n1", "n3");
        assertThat(releasedUnder(rules("", "east", ""))).isEmpty();
        assertThat(releasedUnder(rules("", "", "east=2"))).containsExactly("n3");
    }

    @Test
    void rulesLetNodesGoAtTheEndOfABillingQuantumOnly() {
        offers(SMALL, "1.00");
        node("early", SMALL, NodeView.Phase.IDLE, null, 56);
        node("ends", SMALL, NodeView.Phase.IDLE, null, 117);
        HouseRules hours = new HouseRules("", "", "", Duration.ofHours(1), Duration.ofMinutes(3), true, 0, 0, 0, "");
        assertThat(releasedUnder(hours)).containsExactly("ends");
    }

    @Test
    void rulesKeepAQueueInOneSite() {
        OfferingId west = id("west", "small", Market.ON_DEMAND);
        offers(SMALL, "1.00");
        offers(west, "0.50");
        node("n", SMALL, NodeView.Phase.ALLOCATED, null, 0);
        waits("s", 2, Duration.ZERO);
        assertThat(first(decide(new ChainPolicy(), chain(HouseRules.NONE, "queue-depth"))))
                .isEqualTo(west);
        HouseRules one = new HouseRules("", "", "", Duration.ZERO, Duration.ofMinutes(3), false, 0, 0, 0, "");
        assertThat(first(decide(new ChainPolicy(), chain(one, "queue-depth")))).isEqualTo(SMALL);
    }

    private String firstShape(int age, int external, int engine, String queues) {
        HouseRules rules =
                new HouseRules("", "", "", Duration.ZERO, Duration.ofMinutes(3), true, age, external, engine, queues);
        return provisions(decide(new ChainPolicy(), chain(rules, "queue-depth")))
                .getFirst()
                .shapes()
                .getFirst();
    }

    @Test
    void rulesPutShapesIntoTheOrderOfTheFormula() {
        offers(SMALL, "1.00");
        // Gangs are not bought together with others.
        gang("old", "slow", Duration.ofSeconds(100), 0);
        gang("urgent", "slow", Duration.ofSeconds(10), 50);
        gang("vip", "fast", Duration.ofSeconds(5), 0);
        assertThat(firstShape(1, 0, 0, "")).isEqualTo("old");
        assertThat(firstShape(1, 2, 0, "")).isEqualTo("urgent");
        assertThat(firstShape(1, 2, 1, "fast=200")).isEqualTo("vip");
    }

    private void gang(String shape, String queue, Duration age, long priority) {
        Duration hour = Duration.ofHours(1);
        demands.add(Demand.of(draft -> {
            draft.shape = shape;
            draft.queue = queue;
            draft.perNode = NODE;
            draft.nodes = 2;
            draft.oldestSubmit = NOW.minus(age);
            draft.walltime = hour;
            draft.sites = List.of("east");
            draft.terms = new Demand.Terms("", "", priority, Map.of(), null, hour, Map.of());
        }));
    }
}
