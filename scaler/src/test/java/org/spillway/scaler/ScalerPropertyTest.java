package org.spillway.scaler;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchRecord;
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.policy.Seeds;
import org.spillway.policy.builtin.QueueDepthPolicy;
import org.spillway.policy.builtin.QueueDepthSettings;
import org.spillway.policy.check.SnapshotGenerator;
import org.spillway.scaler.plan.FirstFitPlanner;
import org.spillway.scaler.plan.OfferingHealth;
import org.spillway.scaler.plan.Plan;
import org.spillway.scaler.plan.Step;

/** Properties of every plan, over random clusters whose health is folded from random launches. */
class ScalerPropertyTest {
    /** All but the one that only a parent head says. */
    private static final List<LaunchOutcome.Reason> PROVIDERS_REASONS =
            List.copyOf(EnumSet.complementOf(EnumSet.of(LaunchOutcome.Reason.OCCUPIED)));

    private static final int CASES = Seeds.some(2_000);

    @Test
    void neverOverTheLimitsOfSiteAndBudget() {
        forAll("limits", (now, plan) -> {
            long committed = 0;
            Map<String, Integer> nodes =
                    now.nodes().stream().collect(Collectors.toMap(NodeView::site, node -> 1, Integer::sum));
            for (Step.Launch launch : steps(plan, Step.Launch.class)) {
                committed += launch.committed().micros();
                String site = launch.offering().site();
                assertThat(nodes.merge(site, launch.count(), Integer::sum))
                        .isLessThanOrEqualTo(now.limits().maxNodesBySite().get(site));
            }
            assertThat(committed)
                    .isLessThanOrEqualTo(Math.max(0, now.limits().budgetLeft().micros()));
        });
    }

    @Test
    void neverMoreThanAskedFor() {
        forAll("asked", (now, plan) -> {
            Map<String, Demand> demands = now.demands().stream().collect(Collectors.toMap(Demand::shape, d -> d));
            long slots = demands.values().stream()
                    .mapToLong(demand -> (long) demand.jobs() * demand.nodes())
                    .sum();
            int all = 0;
            Map<List<String>, Integer> byShapes = new HashMap<>();
            for (Step.Launch launch : steps(plan, Step.Launch.class)) {
                assertThat(launch.count()).isPositive();
                all += launch.count();
                byShapes.merge(launch.shapes(), launch.count(), Integer::sum);
            }
            assertThat((long) all).isLessThanOrEqualTo(slots);
            byShapes.forEach((shapes, count) -> assertThat((long) count)
                    .as("nodes for %s", shapes)
                    .isLessThanOrEqualTo(shapes.stream()
                            .map(demands::get)
                            .mapToLong(demand -> (long) demand.jobs() * demand.nodes())
                            .sum()));
        });
    }

    @Test
    void neverMoreThanThePolicyMayWishForInOneTick() {
        for (long seed : Seeds.of("maxNodesPerTick", CASES)) {
            ClusterSnapshot now = cluster(seed);
            int most = 1 + (int) (seed % 7);
            Plan plan = Scene.plan(now, new QueueDepthPolicy(), new QueueDepthSettings(Duration.ofSeconds(300), most));
            assertThat(steps(plan, Step.Launch.class).stream()
                            .mapToInt(Step.Launch::count)
                            .sum())
                    .as("seed %d", seed)
                    .isLessThanOrEqualTo(most);
        }
    }

    /** A gang that is larger than a probe may be is itself the probe. */
    @Test
    void neverOverTheLaunchBudgetOfAnOffering() {
        forAll("launchBudget", (now, plan) -> {
            Map<OfferingId, OfferingStatus> statuses =
                    now.statuses().stream().collect(Collectors.toMap(OfferingStatus::id, status -> status));
            Map<String, Integer> nodesOfGang =
                    now.demands().stream().collect(Collectors.toMap(Demand::shape, Demand::nodes));
            Map<OfferingId, List<Step.Launch>> launches =
                    steps(plan, Step.Launch.class).stream().collect(Collectors.groupingBy(Step.Launch::offering));
            launches.forEach((id, here) -> {
                OfferingStatus status = statuses.get(id);
                if (status != null) {
                    assertThat(status.mayLaunchAt(now.now())).isTrue();
                    int gang = here.get(0).shapes().stream()
                            .mapToInt(nodesOfGang::get)
                            .min()
                            .orElse(1);
                    assertThat(here.stream().mapToInt(Step.Launch::count).sum())
                            .as("launches of %s", id)
                            .isLessThanOrEqualTo(Math.max(status.launchBudget(), gang));
                }
            });
        });
    }

    @Test
    void everyShapeThatIsNotServedHasExactlyOneHold() {
        forAll("holds", (now, plan) -> {
            Map<String, Integer> onExisting = Scaler.onExisting(now, new FirstFitPlanner(now));
            Map<String, Long> launches = steps(plan, Step.Launch.class).stream()
                    .flatMap(launch -> launch.shapes().stream())
                    .collect(Collectors.groupingBy(shape -> shape, Collectors.counting()));
            List<String> unserved = now.demands().stream()
                    .filter(demand -> !launches.containsKey(demand.shape()))
                    .filter(demand ->
                            onExisting.getOrDefault(demand.shape(), 0) < (long) demand.jobs() * demand.nodes())
                    .map(Demand::shape)
                    .toList();
            assertThat(steps(plan, Step.Hold.class))
                    .map(Step.Hold::shape)
                    .containsExactlyInAnyOrderElementsOf(unserved);
            assertThat(plan.steps()).noneMatch(step -> step.reason().equals("the policy asked for nothing"));
        });
    }

    @Test
    void onlyIdleNodesThatNobodyKeepsAreReleasedAndEachOnce() {
        forAll("releases", (now, plan) -> {
            Map<String, NodeView> nodes = now.nodes().stream().collect(Collectors.toMap(NodeView::id, node -> node));
            List<Step.Release> releases = steps(plan, Step.Release.class);
            assertThat(releases).map(Step.Release::node).doesNotHaveDuplicates();
            for (Step.Release release : releases) {
                assertThat(nodes.get(release.node()).phase()).isEqualTo(NodeView.Phase.IDLE);
                assertThat(nodes.get(release.node()).keep()).isFalse();
            }
        });
    }

    @Test
    void orderOfInputChangesNothing() {
        for (long seed : Seeds.of("order", CASES)) {
            ClusterSnapshot now = cluster(seed);
            Random random = new Random(seed);
            ClusterSnapshot other = now.with(draft -> {
                draft.demands = shuffled(now.demands(), random);
                draft.nodes = shuffled(now.nodes(), random);
                draft.offerings = shuffled(now.offerings(), random);
                draft.statuses = shuffled(now.statuses(), random);
            });
            assertThat(plan(other)).as("seed %d", seed).isEqualTo(plan(now));
        }
    }

    private static void forAll(String property, BiConsumer<ClusterSnapshot, Plan> holds) {
        for (long seed : Seeds.of(property, CASES)) {
            ClusterSnapshot now = cluster(seed);
            Plan plan = plan(now);
            try {
                holds.accept(now, plan);
            } catch (AssertionError failure) {
                throw new AssertionError(
                        "seed " + seed + ": " + failure.getMessage() + "\n" + now + "\n" + plan, failure);
            }
        }
    }

    private static Plan plan(ClusterSnapshot now) {
        return Scene.plan(now, new QueueDepthPolicy(), QueueDepthSettings.DEFAULTS);
    }

    /** A generated cluster, whose offerings have a random past. */
    static ClusterSnapshot cluster(long seed) {
        ClusterSnapshot now = new SnapshotGenerator(seed).snapshot();
        Random random = new Random(~seed);
        return now.with(draft -> draft.statuses = OfferingHealth.fold(past(now, random), now.now()));
    }

    private static List<LaunchRecord> past(ClusterSnapshot now, Random random) {
        List<LaunchRecord> past = new ArrayList<>();
        for (Offering offering : now.offerings()) {
            for (int i = random.nextInt(6); i > 0; i--) {
                int asked = 1 + random.nextInt(20);
                past.add(new LaunchRecord(
                        now.now().minusSeconds(random.nextInt(900)), offering.id(), asked, outcome(asked, random)));
            }
        }
        return past;
    }

    static LaunchOutcome outcome(int asked, Random random) {
        LaunchOutcome.Reason reason = PROVIDERS_REASONS.get(random.nextInt(PROVIDERS_REASONS.size()));
        return switch (random.nextInt(5)) {
            case 0 -> new LaunchOutcome.Refused(reason, "no");
            case 1 -> new LaunchOutcome.Partial(random.nextInt(asked), reason, "some");
            case 2 -> new LaunchOutcome.Unknown("the answer was lost");
            default -> new LaunchOutcome.Launched(asked);
        };
    }

    private static <T extends Step> List<T> steps(Plan plan, Class<T> kind) {
        return plan.steps().stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    private static <T> List<T> shuffled(List<T> list, Random random) {
        List<T> copy = new ArrayList<>(list);
        Collections.shuffle(copy, random);
        return copy;
    }
}
