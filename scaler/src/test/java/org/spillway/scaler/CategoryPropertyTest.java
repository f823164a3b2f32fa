package org.spillway.scaler;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.Fabric;
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Planner;
import org.spillway.policy.Seeds;
import org.spillway.policy.builtin.QueueDepthPolicy;
import org.spillway.policy.builtin.QueueDepthSettings;
import org.spillway.policy.check.SnapshotGenerator;
import org.spillway.scaler.plan.FirstFitPlanner;
import org.spillway.scaler.plan.Guardrails;
import org.spillway.scaler.plan.Plan;
import org.spillway.scaler.plan.Step;

/** Nodes of several categories: what holds for every plan, and that constant demand comes to rest. */
final class CategoryPropertyTest {
    private static final int CASES = Seeds.some(10_000);
    private static final int FLEETS = 1_000;
    private static final int TICKS = 30;
    private static final List<String> NAMES = List.of("", "ml", "bio");

    private static ClusterSnapshot snapshot(long seed) {
        ClusterSnapshot any = new SnapshotGenerator(seed).snapshot();
        Random random = new Random(~seed);
        List<Demand> demands =
                any.demands().stream().map(demand -> of(demand, name(random))).toList();
        List<NodeView> nodes = any.nodes().stream()
                .map(node -> of(node, name(random), node.phase(), node.since()))
                .toList();
        List<Offering> offerings = any.offerings().stream()
                .map(offering -> {
                    Set<String> features = new HashSet<>(offering.features());
                    NAMES.stream()
                            .filter(name -> !name.isEmpty() && random.nextInt(4) > 0)
                            .forEach(name -> features.add(Demand.CATEGORY + name));
                    return offering.withFeatures(features);
                })
                .toList();
        Map<String, Duration> times = new HashMap<>();
        NAMES.stream()
                .filter(name -> random.nextInt(10) > 0)
                .forEach(name -> times.put(name, Duration.ofSeconds(random.nextInt(120))));
        return any.with(draft -> {
            draft.demands = demands;
            draft.nodes = nodes;
            draft.offerings = offerings;
            draft.changeable =
                    new ClusterSnapshot.Changeable(times, Set.of("lay"), Duration.ofSeconds(random.nextInt(90)));
        });
    }

    private static String name(Random random) {
        return NAMES.get(random.nextInt(NAMES.size()));
    }

    private static Demand of(Demand demand, String category) {
        Set<String> features = new HashSet<>(demand.features());
        if (!category.isEmpty()) {
            features.add(Demand.CATEGORY + category);
        }
        return demand.with(draft -> draft.features = features);
    }

    private static NodeView of(NodeView node, String category, NodeView.Phase phase, Instant since) {
        return new NodeView(
                node.id(),
                node.site(),
                node.offering(),
                phase,
                node.total(),
                node.free(),
                since,
                node.pricePerHour(),
                node.keep(),
                new NodeView.Duty(
                        node.duty().busyUntil(),
                        category,
                        Set.of(),
                        node.duty().billedFrom(),
                        node.duty().stops(),
                        false,
                        Fabric.NONE));
    }

    private static Plan plan(ClusterSnapshot now) {
        FirstFitPlanner planner = new FirstFitPlanner(now);
        return new Guardrails(ZoneOffset.UTC)
                .plan(
                        now,
                        "queue-depth",
                        new QueueDepthPolicy().decide(now, QueueDepthSettings.DEFAULTS, planner),
                        Scaler.onExisting(now, planner));
    }

    private static List<Step.Repurpose> changes(Plan plan) {
        return plan.steps().stream()
                .filter(Step.Repurpose.class::isInstance)
                .map(Step.Repurpose.class::cast)
                .toList();
    }

    @Test
    void onlyAnIdleNodeThatNobodyOfItsOwnWantsBecomesWhatAJobWaitsFor() {
        int changes = 0;
        for (long seed : Seeds.of("repurposed", CASES)) {
            ClusterSnapshot now = snapshot(seed);
            Plan plan = plan(now);
            changes += changes(plan).size();
            judge(seed, now, plan);
        }
        assertThat(changes)
                .as("a test in which nothing is repurposed would hold too")
                .isGreaterThan(CASES / 40);
    }

    private static void judge(long seed, ClusterSnapshot now, Plan plan) {
        Map<String, NodeView> nodes = new HashMap<>();
        now.nodes().forEach(node -> nodes.put(node.id(), node));
        Map<String, Demand> demands = new HashMap<>();
        now.demands().forEach(demand -> demands.put(demand.shape(), demand));
        Map<OfferingId, Offering> offerings = new HashMap<>();
        now.offerings().forEach(offering -> offerings.put(offering.id(), offering));
        Planner.Packing asTheyAre = new FirstFitPlanner(now).pack(now.demands(), now.nodes(), List.of());
        Set<String> used = new HashSet<>();
        plan.steps().stream()
                .filter(Step.Release.class::isInstance)
                .forEach(step -> used.add(((Step.Release) step).node()));
        Map<List<String>, Integer> perShapes = new HashMap<>();
        long committed = 0;
        for (Step.Repurpose change : changes(plan)) {
            NodeView node = nodes.get(change.node());
            assertThat(node).as("seed %d", seed).isNotNull();
            assertThat(node.phase()).as("seed %d", seed).isEqualTo(NodeView.Phase.IDLE);
            assertThat(node.duty().category()).as("seed %d", seed).isNotEqualTo(change.category());
            assertThat(used.add(node.id()))
                    .as("seed %d: %s has one fate", seed, node.id())
                    .isTrue();
            assertThat(node.since().plus(now.changeable().rest()))
                    .as("seed %d", seed)
                    .isBeforeOrEqualTo(now.now());
            assertThat(asTheyAre.nodesUsed()).as("seed %d", seed).doesNotContain(node.id());
            assertThat(change.shapes()).as("seed %d", seed).isNotEmpty();
            for (String shape : change.shapes()) {
                Demand demand = demands.get(shape);
                assertThat(demand.category()).as("seed %d", seed).isEqualTo(change.category());
                assertThat(demand.perNode().fitsIn(node.total()))
                        .as("seed %d", seed)
                        .isTrue();
                assertThat(offerings.get(node.offering()).features())
                        .as("seed %d", seed)
                        .containsAll(demand.features());
            }
            perShapes.merge(change.shapes(), 1, Integer::sum);
            committed += change.committed().micros();
        }
        for (Step step : plan.steps()) {
            if (step instanceof Step.Launch launch) {
                committed += launch.committed().micros();
                assertThat(launch.shapes().stream()
                                .map(shape -> demands.get(shape).category())
                                .distinct()
                                .count())
                        .as("seed %d: a node is of one category", seed)
                        .isLessThanOrEqualTo(1);
            }
        }
        assertThat(committed)
                .as("seed %d", seed)
                .isLessThanOrEqualTo(Math.max(0, now.limits().budgetLeft().micros()));
        perShapes.forEach((shapes, count) -> assertThat((long) count)
                .as("seed %d: no more than have no room", seed)
                .isLessThanOrEqualTo(shapes.stream()
                        .mapToLong(shape -> (long) demands.get(shape).jobs()
                                        * demands.get(shape).nodes()
                                - asTheyAre.onExisting().getOrDefault(shape, 0))
                        .sum()));
    }

    @Test
    void thePlanDoesNotDependOnTheOrderOfWhatItIsMadeOf() {
        for (long seed : Seeds.of("repurposed, shuffled", CASES / 10)) {
            ClusterSnapshot now = snapshot(seed);
            Random random = new Random(seed);
            List<Demand> demands = new ArrayList<>(now.demands());
            List<NodeView> nodes = new ArrayList<>(now.nodes());
            Collections.shuffle(demands, random);
            Collections.shuffle(nodes, random);
            demands.sort(java.util.Comparator.comparing(Demand::oldestSubmit).thenComparing(Demand::shape));
            assertThat(plan(now.with(demands, nodes)).steps())
                    .as("seed %d", seed)
                    .isEqualTo(plan(now).steps());
        }
    }

    /** Nothing starts and nothing ends, what is launched or repurposed is there in the next tick. */
    @Test
    void underConstantDemandEachNodeChangesOnceAtMostAndAllComeToRest() {
        int changed = 0;
        for (long seed : Seeds.of("repurposed, constant demand", FLEETS)) {
            ClusterSnapshot now = snapshot(seed);
            Map<String, Integer> times = new HashMap<>();
            for (int tick = 0; tick < TICKS; tick++) {
                Plan plan = plan(now);
                for (Step.Repurpose change : changes(plan)) {
                    int count = times.merge(change.node(), 1, Integer::sum);
                    assertThat(count)
                            .as("seed %d, tick %d: %s changes once more: %s", seed, tick, change.node(), plan.steps())
                            .isEqualTo(1);
                    assertThat(tick).as("seed %d: it still changes nodes", seed).isLessThan(TICKS / 2);
                    changed++;
                }
                now = applied(now, plan, tick);
            }
        }
        assertThat(changed).isGreaterThan(FLEETS / 20);
    }

    private static ClusterSnapshot applied(ClusterSnapshot now, Plan plan, int tick) {
        Instant later = now.now().plusSeconds(30);
        Map<String, NodeView> nodes = new HashMap<>();
        now.nodes().forEach(node -> nodes.put(node.id(), node));
        int number = 0;
        for (Step step : plan.steps()) {
            switch (step) {
                case Step.Repurpose change ->
                    nodes.computeIfPresent(
                            change.node(), (id, node) -> of(node, change.category(), NodeView.Phase.IDLE, later));
                case Step.Release release -> nodes.remove(release.node());
                case Step.Power power ->
                    nodes.computeIfPresent(
                            power.node(),
                            (id, node) -> of(
                                    node,
                                    node.duty().category(),
                                    power.on() ? NodeView.Phase.IDLE : NodeView.Phase.STOPPED,
                                    later));
                case Step.Launch launch -> {
                    Offering offering = now.offerings().stream()
                            .filter(one -> one.id().equals(launch.offering()))
                            .findFirst()
                            .orElseThrow();
                    String category = launch.shapes().isEmpty()
                            ? ""
                            : now.demands().stream()
                                    .filter(demand -> launch.shapes().contains(demand.shape()))
                                    .findFirst()
                                    .orElseThrow()
                                    .category();
                    for (int i = 0; i < launch.count(); i++) {
                        String id = "new-" + tick + "-" + number++;
                        nodes.put(
                                id,
                                new NodeView(
                                        id,
                                        offering.id().site(),
                                        offering.id(),
                                        NodeView.Phase.IDLE,
                                        offering.resources(),
                                        offering.resources(),
                                        later,
                                        offering.pricePerHour(),
                                        false,
                                        NodeView.Duty.NONE
                                                .withCategory(category)
                                                .withBilledFrom(later)));
                    }
                }
                case Step.Overlay overlay -> {}
                case Step.Hold hold -> {}
            }
        }
        ClusterSnapshot then = now.with(
                now.demands(),
                nodes.values().stream()
                        .sorted(java.util.Comparator.comparing(NodeView::id))
                        .toList());
        return then.with(draft -> draft.now = later);
    }
}
