package org.spillway.scaler;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.Fabric;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchRecord;
import org.spillway.policy.Limits;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;
import org.spillway.policy.builtin.QueueDepthPolicy;
import org.spillway.policy.builtin.QueueDepthSettings;
import org.spillway.policy.check.SnapshotGenerator;
import org.spillway.scaler.plan.Plan;
import org.spillway.scaler.plan.Step;

/**
 * Provider and workload manager in a few lines: launches may be refused, partial or unknown; a node is in flight for two
 * ticks, then idle, then allocated when jobs start. Jobs never end.
 */
final class ModelFleet implements Fleet {
    private static final Duration TICK = Duration.ofSeconds(60);
    private static final Duration BOOT = TICK.multipliedBy(2);

    private static final Comparator<Demand> LARGEST_FIRST = Comparator.<Demand>comparingInt(
                    demand -> -demand.perNode().gpus())
            .thenComparingInt(demand -> -demand.perNode().cpus())
            .thenComparingLong(demand -> -demand.perNode().memoryBytes())
            .thenComparingInt(demand -> -demand.nodes())
            .thenComparing(Demand::shape);
    private static final Comparator<NodeView> FULLEST_FIRST = Comparator.<NodeView, Boolean>comparing(
                    node -> node.phase() != NodeView.Phase.ALLOCATED)
            .thenComparing(NodeView::pricePerHour)
            .thenComparing(NodeView::id);

    record Tick(int launched, int released) {}

    private final Random random;
    private final boolean jobsStart;
    private final List<Offering> offerings;
    private final Limits limits;
    private final List<LaunchRecord> launches = new ArrayList<>();
    private final Scaler<QueueDepthSettings> scaler;
    private List<Demand> demands;
    private List<NodeView> nodes = new ArrayList<>();
    private Money left;
    private Instant now = SnapshotGenerator.NOW;
    private int names;
    private boolean substitutes;
    private String lastPlan = "";

    /** @param fabrics whether there are several zones, and most types stand on a fabric */
    ModelFleet(long seed, boolean jobsStart, boolean fabrics) {
        ClusterSnapshot start = new SnapshotGenerator(seed).snapshot();
        random = new Random(~seed);
        this.jobsStart = jobsStart;
        demands = start.demands();
        offerings = fabrics ? inZones(start.offerings()) : start.offerings();
        limits = start.limits();
        left = limits.budgetLeft();
        scaler = new Scaler<>(
                at -> demands, this, at -> left, new QueueDepthPolicy(), QueueDepthSettings.DEFAULTS, ZoneOffset.UTC);
    }

    private List<Offering> inZones(List<Offering> some) {
        List<Offering> all = new ArrayList<>();
        for (Offering one : some) {
            Set<String> features = new HashSet<>(one.features());
            if (random.nextInt(4) > 0) {
                features.add(Fabric.FEATURE + "efa");
            }
            for (String zone : List.of("a", "b")) {
                OfferingId id = new OfferingId(
                        one.id().site(), zone, one.id().instanceType(), one.id().market());
                all.add(Offering.of(id, one.resources(), one.pricePerHour()).withFeatures(features));
            }
        }
        return all;
    }

    Tick tick(boolean providerFails) {
        now = now.plus(TICK);
        boot();
        if (jobsStart) {
            demands = demands.stream()
                    .sorted(LARGEST_FIRST)
                    .flatMap(demand -> start(demand).stream())
                    .toList();
        }
        Plan plan = scaler.tick(now);
        Map<List<String>, Set<OfferingId>> bought = plan.steps().stream()
                .filter(Step.Launch.class::isInstance)
                .map(Step.Launch.class::cast)
                .collect(Collectors.groupingBy(
                        Step.Launch::shapes, Collectors.mapping(Step.Launch::offering, Collectors.toSet())));
        substitutes |= bought.values().stream().anyMatch(offerings -> offerings.size() > 1);
        lastPlan = plan.toString();
        int launched = 0;
        int released = 0;
        for (Step step : plan.steps()) {
            switch (step) {
                case Step.Launch launch -> {
                    launched += launch.count();
                    launch(launch, providerFails);
                }
                case Step.Release release -> {
                    released++;
                    nodes.removeIf(node -> node.id().equals(release.node()));
                }
                case Step.Power power -> throw new AssertionError("no node of this fleet is ever stopped: " + power);
                case Step.Repurpose change -> throw new AssertionError("there is one category: " + change);
                case Step.Overlay change -> throw new AssertionError("there are no overlays: " + change);
                case Step.Hold hold -> {}
            }
        }
        return new Tick(launched, released);
    }

    private void launch(Step.Launch launch, boolean providerFails) {
        LaunchOutcome outcome = providerFails
                ? ScalerPropertyTest.outcome(launch.count(), random)
                : new LaunchOutcome.Launched(launch.count());
        int made = switch (outcome) {
            case LaunchOutcome.Launched all -> all.count();
            case LaunchOutcome.Partial some -> some.count();
            case LaunchOutcome.Refused none -> 0;
            case LaunchOutcome.Unknown lost -> random.nextBoolean() ? launch.count() : 0;
        };
        launches.add(new LaunchRecord(now, launch.offering(), launch.count(), outcome));
        left = left.minus(new Money(launch.committed().micros() / launch.count() * made));
        Offering offering = offerings.stream()
                .filter(one -> one.id().equals(launch.offering()))
                .findAny()
                .orElseThrow();
        for (int i = 0; i < made; i++) {
            nodes.add(new NodeView(
                    "n" + names++,
                    offering.id().site(),
                    offering.id(),
                    NodeView.Phase.IN_FLIGHT,
                    offering.resources(),
                    offering.resources(),
                    now,
                    offering.pricePerHour(),
                    false,
                    NodeView.Duty.NONE.withFabric(fabric(launch, offering))));
        }
    }

    /** As the head does: with those that exist, else in a group that is named for a job of the shape. */
    private Fabric fabric(Step.Launch launch, Offering offering) {
        String own = demands.stream()
                .filter(demand -> launch.shapes().contains(demand.shape()) && demand.nodes() > 1)
                .map(demand -> "gang-" + demand.shape() + "-" + demand.jobs())
                .findFirst()
                .orElse("");
        return new Fabric(Fabric.named(offering.features()), launch.group() == null ? own : launch.group());
    }

    private void boot() {
        nodes = nodes.stream()
                .map(node -> node.phase() == NodeView.Phase.IN_FLIGHT
                                && !node.since().plus(BOOT).isAfter(now)
                        ? with(node, NodeView.Phase.IDLE, node.free())
                        : node)
                .collect(Collectors.toCollection(ArrayList::new));
    }

    private NodeView with(NodeView node, NodeView.Phase phase, Resources free) {
        return new NodeView(
                node.id(),
                node.site(),
                node.offering(),
                phase,
                node.total(),
                free,
                node.phase() == phase ? node.since() : now,
                node.pricePerHour(),
                node.keep(),
                node.duty());
    }

    /** Where the nodes of a gang are together. */
    private static String place(NodeView node) {
        OfferingId offering = node.offering();
        Fabric fabric = node.duty().fabric();
        return node.site() + (offering == null || fabric.name().isEmpty() ? "" : "/" + offering.zone() + "/" + fabric);
    }

    /** Starts as many jobs as find room on nodes that are up; what is left still waits. */
    private Optional<Demand> start(Demand demand) {
        int jobs = demand.jobs();
        while (jobs > 0) {
            Map<String, List<NodeView>> byPlace = nodes.stream()
                    .filter(node -> node.phase() == NodeView.Phase.IDLE || node.phase() == NodeView.Phase.ALLOCATED)
                    .filter(node -> demand.sites().contains(node.site()) && holds(node, demand))
                    .sorted(FULLEST_FIRST)
                    .collect(Collectors.groupingBy(
                            demand.nodes() == 1 ? NodeView::site : ModelFleet::place,
                            LinkedHashMap::new,
                            Collectors.toList()));
            Optional<List<NodeView>> room = byPlace.values().stream()
                    .filter(here -> here.size() >= demand.nodes())
                    .min(Comparator.comparingInt(
                            here -> demand.sites().indexOf(here.getFirst().site())));
            if (room.isEmpty()) {
                break;
            }
            for (NodeView node : room.get().subList(0, demand.nodes())) {
                nodes.set(
                        nodes.indexOf(node),
                        with(node, NodeView.Phase.ALLOCATED, node.free().minus(demand.perNode())));
            }
            jobs--;
        }
        return jobs == 0 ? Optional.empty() : Optional.of(less(demand, jobs));
    }

    private boolean holds(NodeView node, Demand demand) {
        return demand.perNode().fitsIn(node.free())
                && offerings.stream()
                        .anyMatch(offering -> offering.id().equals(node.offering())
                                && offering.features().containsAll(demand.features()));
    }

    private static Demand less(Demand demand, int jobs) {
        return demand.with(draft -> draft.jobs = jobs);
    }

    /** Whether nodes of more than one offering were bought at once for the same shapes. */
    boolean hasSubstitutes() {
        return substitutes;
    }

    /** Sites with more nodes than they may have, and an overdrawn budget; empty when all is well. */
    String overLimit() {
        String over =
                nodes.stream().collect(Collectors.groupingBy(NodeView::site, Collectors.counting())).entrySet().stream()
                        .filter(site ->
                                site.getValue() > limits.maxNodesBySite().getOrDefault(site.getKey(), 0))
                        .map(Object::toString)
                        .collect(Collectors.joining(", "));
        boolean overdrawn = Money.ZERO.isMoreThan(left) && limits.budgetLeft().isMoreThan(left);
        return over + (overdrawn ? " overdrawn: " + left : "");
    }

    @Override
    public String toString() {
        return now + "\ndemands " + demands + "\nnodes " + nodes + "\n" + lastPlan;
    }

    @Override
    public List<NodeView> nodes() {
        return nodes;
    }

    @Override
    public List<Offering> offerings() {
        return offerings;
    }

    @Override
    public List<LaunchRecord> launches() {
        return launches;
    }

    @Override
    public Map<String, Integer> maxNodes() {
        return limits.maxNodesBySite();
    }
}
