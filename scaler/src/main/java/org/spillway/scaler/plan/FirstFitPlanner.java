package org.spillway.scaler.plan;

import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.Fabric;
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Planner;
import org.spillway.policy.RunCost;

/**
 * First-fit decreasing over shapes and over groups of alike nodes.
 *
 * <p><b>Algorithm.</b> Shapes are sorted by what one node slot asks for, the largest first. Each is placed on nodes that
 * exist (busy ones with room, then those that are kept anyway, then the cheapest), then into room left on nodes that the
 * packing has already bought, then on new nodes: those with the least price per slot that would be used, a full node's
 * slots first and the remainder by the same rule. Each bought node keeps all offerings that can hold what is on it, best
 * first. Everything is arithmetic on counts: a thousand alike jobs cost as much as one. Where it costs more to move a job to
 * one of its sites than to another, the price of nodes for its expected run and that of moving it are compared in sum.
 *
 * <p><b>Gangs.</b> All nodes of a gang are in one {@link GangPlace}: one site, and one fabric of one zone where it stands on a
 * fabric; each slot on another node. Gangs are placed whole on nodes that
 * exist; what is left completes one gang with new nodes, and the others are bought whole. Nodes bought for a gang are for
 * that shape alone. Where the nodes that would complete one cannot be had now ({@link Reach}), it keeps nobody else from those
 * that exist.
 *
 * <p><b>Categories.</b> A node serves one category, so each is packed by itself: what one leaves is of no use to another.
 *
 * <p><b>Source.</b> First-fit decreasing: D. S. Johnson, Near-optimal bin packing algorithms, 1973 (at most 11/9 of the
 * optimum plus a constant, for one resource). Equivalence groups: cluster-autoscaler. The set of offerings that shrinks
 * as a node fills: Karpenter. Dealing gang slots: the Gale-Ryser theorem for rows of equal sums.
 *
 * <p><b>Complexity.</b> s shapes, g groups of alike nodes, o offerings, n nodes: O(n log n) to group, then
 * O(s (g + s + o log o)), with another factor log(jobs) for gangs. A shape adds at most o + 2 groups.
 */
public final class FirstFitPlanner implements Planner {
    /** More shapes than these are packed by first fit alone: patterns cost with the cube of their number. */
    private static final int MOST_SHAPES_BY_PATTERNS = PatternPacking.MOST_SHAPES;
    /** With fewer nodes than these, new and empty, patterns save too little for their time. */
    private static final int FEWEST_NODES_BY_PATTERNS = 12;
    /** Ticks in which what patterns propose must prove enough. */
    private static final int LOOKS_AHEAD = 8;

    /** The host and a policy ask the same within one decision. */
    private static final int MOST_REMEMBERED = 8;

    private final NodeFeatures features;
    private final Map<String, Integer> importance = new HashMap<>();
    private final Map<OfferingId, Duration> boots = new HashMap<>();
    private final Reach reach;

    private final List<Asked> asked = new ArrayList<>();

    private record Asked(List<Demand> demands, List<NodeView> nodes, List<Offering> offerings, Packing answer) {}

    /**
     * @param catalogue all offerings known, also those that may not be bought now: the features of an existing node are
     *     those of its offering. Of a node without an offering, or of one that is gone, its market alone is known
     */
    public FirstFitPlanner(List<Offering> catalogue) {
        this(catalogue, Reach.UNBOUNDED);
    }

    private FirstFitPlanner(List<Offering> catalogue, Reach reach) {
        this.reach = reach;
        features = new NodeFeatures(catalogue);
    }

    /** With the snapshot's offerings as the catalogue, and their boot times as measured. */
    public FirstFitPlanner(ClusterSnapshot now) {
        this(now.offerings(), Reach.of(now));
        byImportance(now).forEach(demand -> importance.putIfAbsent(demand.shape(), importance.size()));
        now.statuses().forEach(status -> boots.put(status.id(), status.bootEstimate()));
    }

    @Override
    public Map<String, Instant> expectedStarts(List<Demand> demands, List<NodeView> nodes, Instant now) {
        StartEstimate.Look look = new StartEstimate.Look() {
            @Override
            public Set<String> features(NodeView node) {
                return featuresOf(node);
            }

            @Override
            public Duration boot(NodeView node) {
                OfferingId offering = node.offering();
                return offering == null ? RunCost.BOOT_UNKNOWN : boots.getOrDefault(offering, RunCost.BOOT_UNKNOWN);
            }
        };
        Map<String, Instant> starts = new HashMap<>();
        Categories.of(demands, nodes)
                .forEach(one -> starts.putAll(StartEstimate.of(one.demands(), one.nodes(), now, look)));
        return starts;
    }

    @Override
    public Packing pack(List<Demand> demands, List<NodeView> nodes, List<Offering> offerings) {
        for (Asked before : asked) {
            if (before.offerings().equals(offerings)
                    && before.demands().equals(demands)
                    && before.nodes().equals(nodes)) {
                return before.answer();
            }
        }
        Packing answer = packed(demands, nodes, offerings);
        if (asked.size() < MOST_REMEMBERED) {
            asked.add(new Asked(List.copyOf(demands), List.copyOf(nodes), List.copyOf(offerings), answer));
        }
        return answer;
    }

    private Packing packed(List<Demand> demands, List<NodeView> nodes, List<Offering> offerings) {
        List<Offering> sorted = offerings.stream()
                .sorted(Comparator.comparing(Offering::id))
                .distinct()
                .toList();
        Map<String, Instant> oldest = new HashMap<>();
        demands.forEach(demand -> oldest.put(demand.shape(), demand.oldestSubmit()));
        Map<String, Integer> onExisting = new HashMap<>();
        Set<String> used = new HashSet<>();
        List<Room> rooms = new ArrayList<>();
        Map<String, String> unplaced = new HashMap<>();
        for (Categories.Part one : Categories.of(demands, nodes)) {
            PackingRun run = best(one.demands().stream().sorted(LARGEST_FIRST).toList(), one.nodes(), sorted);
            onExisting.putAll(run.onExisting());
            used.addAll(run.nodesUsed());
            rooms.addAll(run.rooms());
            unplaced.putAll(run.unplaced());
        }
        return new Packing(onExisting, used, bought(rooms, oldest), unplaced);
    }

    /** First fit, or patterns where they are cheaper and the next tick will see that they are enough. */
    private PackingRun best(List<Demand> largestFirst, List<NodeView> nodes, List<Offering> offerings) {
        PackingRun first = firstFit(largestFirst, nodes, offerings);
        if (isGoodEnough(first)
                || largestFirst.size() > MOST_SHAPES_BY_PATTERNS
                || first.nodesBought() + empty(nodes) < FEWEST_NODES_BY_PATTERNS
                || first.isTight()
                // Patterns know the price of nodes alone.
                || largestFirst.stream().anyMatch(TransferPrice::differs)) {
            return first;
        }
        PackingRun second = byPatterns(largestFirst, nodes, offerings, first);
        if (second == null || !isWorthMore(second, first, largestFirst)) {
            return first;
        }
        List<NodeView> then = new ArrayList<>(nodes);
        PackingRun latest = second;
        for (int i = 0; i < LOOKS_AHEAD; i++) {
            if (!latest.buys()) {
                return i == 0 || isWorthMore(second, first, largestFirst) ? second : first;
            }
            then.addAll(inFlight(latest.rooms(), then.size()));
            PackingRun next = firstFit(largestFirst, then, offerings);
            if (!isGoodEnough(next)) {
                PackingRun other = byPatterns(largestFirst, then, offerings, next);
                next = other != null && isBetter(other, next) ? other : next;
            }
            latest = next;
            if (latest.buys()) {
                second.alsoBuys(latest.rooms());
            }
        }
        return latest.buys() || !isWorthMore(second, first, largestFirst) ? first : second;
    }

    /**
     * Whether patterns are better than first fit. Where they place more, they must be had as a whole: bought in part, they take
     * nodes from shapes that first fit serves, and the next tick, which falls back on first fit, has no use for what was
     * bought, releases it, and buys it again.
     */
    private boolean isWorthMore(PackingRun patterns, PackingRun first, List<Demand> demands) {
        if (!isBetter(patterns, first)) {
            return false;
        }
        if (patterns.missing() == first.missing()) {
            return true;
        }
        Map<String, Demand> byShape = new HashMap<>();
        demands.forEach(demand -> byShape.put(demand.shape(), demand));
        return reach.hasAll(
                patterns.rooms().stream().filter(room -> !room.exists()).toList(), byShape);
    }

    /** Nodes bought a tick ago count as those bought now, so that patterns are looked for again while they boot. */
    private static long empty(List<NodeView> nodes) {
        return nodes.stream()
                .filter(node -> node.offering() != null
                        && (node.phase() == NodeView.Phase.IDLE || node.phase() == NodeView.Phase.IN_FLIGHT))
                .count();
    }

    private static boolean isGoodEnough(PackingRun run) {
        return !run.buys() && run.missing() == 0;
    }

    private PackingRun firstFit(List<Demand> largestFirst, List<NodeView> nodes, List<Offering> offerings) {
        PackingRun run = new PackingRun(existing(nodes), offerings, reach);
        largestFirst.forEach(run::place);
        return run;
    }

    private @Nullable PackingRun byPatterns(
            List<Demand> largestFirst, List<NodeView> nodes, List<Offering> offerings, PackingRun first) {
        PackingRun run = new PackingRun(existing(nodes), offerings, reach);
        BigInteger worthLess = first.missing() == 0 ? first.price() : BigInteger.ZERO;
        return run.placeByPatterns(largestFirst, worthLess) ? run : null;
    }

    private static boolean isBetter(PackingRun one, PackingRun other) {
        return one.missing() != other.missing()
                ? one.missing() < other.missing()
                : one.price().compareTo(other.price()) < 0;
    }

    /** The bought nodes as the next tick will see them, if all of them can be had. */
    private static List<NodeView> inFlight(List<Room> rooms, int from) {
        List<NodeView> nodes = new ArrayList<>();
        for (Room room : rooms) {
            for (int i = 0; !room.exists() && i < room.count(); i++) {
                Offering offering = room.acceptable().get(0);
                Fabric fabric = new Fabric(room.place().fabric(), room.place().group());
                nodes.add(new NodeView(
                        "~" + (from + nodes.size()),
                        offering.id().site(),
                        offering.id(),
                        NodeView.Phase.IN_FLIGHT,
                        offering.resources(),
                        offering.resources(),
                        Instant.EPOCH,
                        offering.pricePerHour(),
                        false,
                        NodeView.Duty.NONE.withFabric(fabric)));
            }
        }
        return nodes;
    }

    static final Comparator<Demand> LARGEST_FIRST = Comparator.<Demand>comparingInt(
                    demand -> -demand.perNode().gpus())
            .thenComparingInt(demand -> -demand.perNode().cpus())
            .thenComparingLong(demand -> -demand.perNode().memoryBytes())
            .thenComparingLong(demand -> -demand.perNode().localDiskBytes())
            .thenComparingInt(demand -> -demand.nodes())
            .thenComparingInt(demand -> -demand.features().size())
            .thenComparing(Demand::oldestSubmit)
            .thenComparing(Demand::shape);

    private static final Comparator<NodeView> BEST_USED_FIRST = Comparator.<NodeView, Boolean>comparing(
                    node -> node.phase() != NodeView.Phase.ALLOCATED)
            .thenComparing(node -> !node.keep())
            .thenComparing(NodeView::pricePerHour)
            .thenComparing(NodeView::phase, Comparator.reverseOrder())
            .thenComparing(NodeView::id);

    private List<NodeView> lastNodes = List.of();
    private List<Room> lastRooms = List.of();

    /** The same list is met several times in a decision. */
    @SuppressWarnings("ReferenceEquality")
    private List<Room> existing(List<NodeView> nodes) {
        if (nodes != lastNodes) {
            lastRooms = grouped(nodes);
            lastNodes = List.copyOf(nodes);
        }
        return lastRooms;
    }

    @Override
    public Set<String> usedInTurn(List<Demand> demands, List<NodeView> nodes) {
        Set<String> used = new HashSet<>();
        for (Categories.Part one : Categories.of(demands, nodes)) {
            PackingRun run = new PackingRun(existing(one.nodes()), List.of(), reach);
            one.demands().forEach(run::placeApart);
            used.addAll(run.nodesUsed());
        }
        return used;
    }

    private List<Room> grouped(List<NodeView> nodes) {
        Map<Object, List<NodeView>> alike = new LinkedHashMap<>();
        nodes.stream()
                .filter(node -> switch (node.phase()) {
                    case IDLE, IN_FLIGHT, ALLOCATED -> true;
                    case DRAINING, STOPPED -> false;
                })
                .sorted(BEST_USED_FIRST)
                .forEach(node -> alike.computeIfAbsent(Kind.of(node, featuresOf(node)), kind -> new ArrayList<>())
                        .add(node));
        return alike.values().stream()
                .map(group -> Room.existing(
                        GangPlace.of(group.get(0)),
                        featuresOf(group.get(0)),
                        group.stream().map(NodeView::id).toList(),
                        group.get(0).free()))
                .toList();
    }

    private Set<String> featuresOf(NodeView node) {
        return features.of(node);
    }

    /** The traits that make two nodes alike, in the order in which they are used. */
    private record Kind(Object phase, boolean keep, Object price, GangPlace place, Object free, Set<String> features) {
        static Kind of(NodeView node, Set<String> features) {
            return new Kind(node.phase(), node.keep(), node.pricePerHour(), GangPlace.of(node), node.free(), features);
        }
    }

    private List<Bought> bought(List<Room> rooms, Map<String, Instant> oldest) {
        List<Bought> gangs = new ArrayList<>();
        Map<List<Object>, Bought> merged = new LinkedHashMap<>();
        for (Room room : rooms) {
            if (room.exists()) {
                continue;
            }
            List<OfferingId> ids = room.acceptable().stream().map(Offering::id).toList();
            List<String> shapes = room.shapes().stream().sorted().toList();
            Bought one = new Bought(shapes, ids, room.count());
            if (room.closed()) {
                gangs.add(one);
            } else {
                merged.merge(
                        List.of(shapes, ids),
                        one,
                        (a, b) -> new Bought(shapes, ids, Math.addExact(a.count(), b.count())));
            }
        }
        gangs.addAll(merged.values());
        // The sort is stable: what completes a gang stays before further gangs of the same shape.
        return gangs.stream()
                .map(bought -> new Ranked(
                        bought.shapes().stream()
                                .mapToInt(shape -> importance.getOrDefault(shape, Integer.MAX_VALUE))
                                .min()
                                .orElse(Integer.MAX_VALUE),
                        bought.shapes().stream()
                                .map(shape -> oldest.getOrDefault(shape, Instant.MAX))
                                .min(Comparator.naturalOrder())
                                .orElse(Instant.MAX),
                        bought.shapes().toString(),
                        bought))
                .sorted(Ranked.ORDER)
                .map(Ranked::bought)
                .toList();
    }

    private record Ranked(int importance, Instant oldest, String shapes, Bought bought) {
        static final Comparator<Ranked> ORDER = Comparator.comparingInt(Ranked::importance)
                .thenComparing(Ranked::oldest)
                .thenComparing(Ranked::shapes);
    }
}
