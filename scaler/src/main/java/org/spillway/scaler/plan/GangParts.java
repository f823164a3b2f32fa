package org.spillway.scaler.plan;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
    private final Map<OfferingId, Set<String>> features = new HashMap<>();
    private final Map<String, Map<String, Integer>> launched = new HashMap<>();
    private final Set<String> cut = new HashSet<>();

    GangParts(ClusterSnapshot snapshot) {
        nodes = snapshot.nodes();
        snapshot.offerings().forEach(offering -> features.put(offering.id(), offering.features()));
    }

    /**
     * How many nodes are of use only together; 1 where a job of one node is among the shapes, because it must not wait
     * for a gang. Less than a gang only while all earlier parts of it were granted in full.
     */
    int unit(List<Demand> waiting, int asked) {
        int gang = smallest(waiting).map(Demand::nodes).orElse(1);
        return waiting.stream().anyMatch(demand -> cut.contains(demand.shape())) ? gang : Math.min(gang, asked);
    }

    /** Why this many more nodes in a site would leave a gang broken; empty when they would not. */
    String broken(List<Demand> waiting, String site, int more, int unit) {
        Optional<Demand> smallest = smallest(waiting);
        if (smallest.isEmpty() || smallest.get().nodes() == 1) {
            return "";
        }
        Demand gang = smallest.get();
        int there = launched.getOrDefault(gang.shape(), Map.of()).getOrDefault(site, 0) + partners(gang, site) + more;
        if (more >= unit && there >= gang.nodes()) {
            return "";
        }
        return "only " + more + " more nodes for a gang of " + gang.nodes() + " were asked for in site " + site
                + ", which do not make it whole";
    }

    /** How many more nodes in a site make one of the gangs whole; 0 where a job of one node is among the shapes. */
    int missing(List<Demand> waiting, String site) {
        Demand gang = smallest(waiting).orElse(null);
        return gang == null || gang.nodes() == 1
                ? 0
                : Math.max(
                        0,
                        gang.nodes()
                                - launched.getOrDefault(gang.shape(), Map.of()).getOrDefault(site, 0)
                                - partners(gang, site));
    }

    void launched(List<Demand> waiting, String site, int count) {
        waiting.forEach(demand -> launched.computeIfAbsent(demand.shape(), shape -> new HashMap<>())
                .merge(site, count, Integer::sum));
    }

    /** Not all that was asked for these shapes was granted. */
    void cut(List<Demand> waiting) {
        waiting.forEach(demand -> cut.add(demand.shape()));
    }

    private int partners(Demand gang, String site) {
        return (int) nodes.stream()
                .filter(node -> node.site().equals(site)
                        && gang.sites().contains(site)
                        && node.duty().category().equals(gang.category())
                        && switch (node.phase()) {
                            case IDLE, IN_FLIGHT, ALLOCATED -> true;
                            case DRAINING, STOPPED -> false;
                        }
                        && gang.perNode().fitsIn(node.free())
                        && featuresOf(node).containsAll(gang.features()))
                .count();
    }

    private Set<String> featuresOf(NodeView node) {
        OfferingId offering = node.offering();
        return offering == null ? Set.of() : features.getOrDefault(offering, Set.of());
    }

    private static Optional<Demand> smallest(List<Demand> waiting) {
        return waiting.stream().min((a, b) -> Integer.compare(a.nodes(), b.nodes()));
    }
}
