package org.spillway.scaler.plan;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.NodeView;
import org.spillway.policy.OfferingId;

/**
 * Which parts of a gang one plan has got so far, so that no part is launched that would not be whole: half a gang costs
 * as much as a whole one and computes nothing. Lives within one decision.
 *
 * <p>It counts all free room on existing nodes, also what other shapes may take: the planner knows better who takes it,
 * and this must only never believe in a gang that cannot be.
 */
final class GangParts {
    private final List<NodeView> nodes;
    private final NodeFeatures features;
    private final Map<OfferingId, GangPlace> places = new HashMap<>();
    private final Map<Part, Integer> launched = new HashMap<>();
    private final Map<Part, Optional<String>> chosen = new HashMap<>();
    private final Set<String> cut = new HashSet<>();

    /** A shape's part in a place whose group is left open. */
    private record Part(String shape, GangPlace open) {}

    GangParts(ClusterSnapshot snapshot) {
        nodes = snapshot.nodes();
        features = new NodeFeatures(snapshot.offerings());
        snapshot.offerings().forEach(offering -> places.put(offering.id(), GangPlace.of(offering, "")));
    }

    /**
     * How many nodes are of use only together; 1 where a job of one node is among the shapes, because it must not wait
     * for a gang. Less than a gang only while all earlier parts of it were granted in full.
     */
    int unit(List<Demand> waiting, int asked) {
        int gang = smallest(waiting).map(Demand::nodes).orElse(1);
        return waiting.stream().anyMatch(demand -> cut.contains(demand.shape())) ? gang : Math.min(gang, asked);
    }

    /**
     * Why this many more nodes of an offering would leave a gang broken; empty when they would not.
     *
     * @param group that they join, as {@link #group} or {@link Together} says
     */
    Bound broken(List<Demand> waiting, OfferingId offering, Optional<String> group, int more, int unit) {
        Demand gang = gang(waiting);
        if (gang == null || (more >= unit && there(gang, offering, group) + more >= gang.nodes())) {
            return Bound.NONE;
        }
        return new Bound(
                Bound.Kind.GANG,
                offering.toString(),
                "only " + more + " more nodes for a gang of " + gang.nodes() + " were asked for in "
                        + open(offering).text() + ", which do not make it whole");
    }

    /** How many more nodes of an offering make one of the gangs whole; 0 where a job of one node is among the shapes. */
    int missing(List<Demand> waiting, OfferingId offering, Optional<String> group) {
        Demand gang = gang(waiting);
        return gang == null ? 0 : Math.max(0, gang.nodes() - there(gang, offering, group));
    }

    void launched(List<Demand> waiting, OfferingId offering, Optional<String> group, int count) {
        for (Demand demand : waiting) {
            Part part = new Part(demand.shape(), open(offering));
            chosen.put(part, group);
            launched.merge(part, count, Integer::sum);
        }
    }

    /**
     * The fabric group of nodes that exist, which more nodes of an offering have to join to be of use to a gang; none where
     * they may be a group of their own, and where they stand on no fabric.
     */
    Optional<String> group(List<Demand> waiting, OfferingId offering) {
        Demand gang = gang(waiting);
        GangPlace open = open(offering);
        if (gang == null || open.fabric().isEmpty()) {
            return Optional.empty();
        }
        Optional<String> before = chosen.get(new Part(gang.shape(), open));
        return before == null ? most(partners(gang, open)) : before;
    }

    /** Nodes that exist and can be of one gang. @param group that they all have */
    record Together(List<NodeView> nodes, Optional<String> group) {}

    /**
     * Of some nodes of one offering, those that can be of one gang with what there is of it: all where the offering stands
     * on no fabric or nothing that waits is a gang, else those of one group, the one with the most.
     */
    Together together(List<Demand> waiting, OfferingId offering, List<NodeView> some) {
        Demand gang = gang(waiting);
        GangPlace open = open(offering);
        if (gang == null || open.fabric().isEmpty()) {
            return new Together(some, Optional.empty());
        }
        Map<GangPlace, Integer> counts = partners(gang, open);
        some.stream()
                .map(GangPlace::of)
                .filter(place -> place.isBeside(open))
                .forEach(place -> counts.merge(place, 1, Integer::sum));
        Optional<String> before = chosen.get(new Part(gang.shape(), open));
        Optional<String> group = before == null ? most(counts) : before;
        return new Together(
                some.stream()
                        .filter(node -> GangPlace.of(node).isBeside(open)
                                && group.equals(Optional.of(GangPlace.of(node).group())))
                        .toList(),
                group);
    }

    /** The group of the place with the most nodes. */
    private static Optional<String> most(Map<GangPlace, Integer> counts) {
        return counts.entrySet().stream()
                .max(Map.Entry.<GangPlace, Integer>comparingByValue()
                        .thenComparing(Map.Entry.comparingByKey(GangPlace.BY_NAME.reversed())))
                .map(one -> one.getKey().group());
    }

    private GangPlace open(OfferingId offering) {
        // Of one that is not offered nothing is launched.
        return places.getOrDefault(offering, new GangPlace(offering.site(), "", "", ""));
    }

    /** Of this gang in that group. */
    private int there(Demand gang, OfferingId offering, Optional<String> group) {
        GangPlace open = open(offering);
        int more = launched.getOrDefault(new Part(gang.shape(), open), 0);
        Map<GangPlace, Integer> counts = partners(gang, open);
        // Without a fabric there is one place, and it has no group.
        GangPlace place = new GangPlace(open.site(), open.zone(), open.fabric(), group.orElse(""));
        boolean own = group.isEmpty() && !open.fabric().isEmpty();
        return more + (own ? 0 : counts.getOrDefault(place, 0));
    }

    /** Not all that was asked for these shapes was granted. */
    void cut(List<Demand> waiting) {
        waiting.forEach(demand -> cut.add(demand.shape()));
    }

    /** Nodes with room for the gang, by the place that they are in. */
    private Map<GangPlace, Integer> partners(Demand gang, GangPlace open) {
        Map<GangPlace, Integer> counts = new HashMap<>();
        for (NodeView node : nodes) {
            boolean serves = switch (node.phase()) {
                case IDLE, IN_FLIGHT, ALLOCATED -> true;
                case DRAINING, STOPPED -> false;
            };
            if (serves
                    && gang.sites().contains(node.site())
                    && node.duty().category().equals(gang.category())
                    && gang.perNode().fitsIn(node.free())
                    && features.of(node).containsAll(gang.features())
                    && GangPlace.of(node).isBeside(open)) {
                counts.merge(GangPlace.of(node), 1, Integer::sum);
            }
        }
        return counts;
    }

    private static Optional<Demand> smallest(List<Demand> waiting) {
        return waiting.stream().min(Comparator.comparingInt(Demand::nodes));
    }

    /** The smallest of them; null where a job of one node is among them, or nothing. */
    private static @Nullable Demand gang(List<Demand> waiting) {
        Demand smallest = smallest(waiting).orElse(null);
        return smallest == null || smallest.nodes() == 1 ? null : smallest;
    }
}
