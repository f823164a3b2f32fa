package org.spillway.policy;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Packing as a tool for policies; the host's implementation. Pure, and the same answer for the same arguments in
 * whatever order they come: importance is read from {@link Demand#oldestSubmit()}, not from a list's order.
 */
public interface Planner {
    /**
     * Packs demands onto the room that exists (idle, in flight, partly free), then onto new nodes of the given
     * offerings, the cheapest per used share first.
     *
     * @param demands what waits
     * @param nodes existing nodes; draining and stopped ones are not used
     * @param offerings what may be bought; ties in price go to the site that the demand prefers, then to the smaller node
     */
    Packing pack(List<Demand> demands, List<NodeView> nodes, List<Offering> offerings);

    /**
     * Nodes that jobs would start on in the order of the list, each shape on nodes of its own: a workload manager knows
     * nothing of the best packing. Nothing is bought.
     *
     * @return ids of nodes
     */
    Set<String> usedInTurn(List<Demand> demands, List<NodeView> nodes);

    /**
     * The demands of a snapshot, the most important first: by priority, then by the account's (or queue's) use per weight
     * with what comes before it in this list, then by age. Where money or limits do not suffice for all, wishes should come
     * in this order, because the host grants them in theirs.
     */
    default List<Demand> byImportance(ClusterSnapshot now) {
        return Importance.order(now);
    }

    /**
     * Offerings of which at least one node may be launched now: healthy, with no open breaker, in a site with room, within
     * quotas and launches per minute. The host checks again; this keeps a policy from wishing for what it will not get.
     */
    default List<Offering> usable(ClusterSnapshot now) {
        return Usable.of(now);
    }

    /**
     * Cost of one job of the demand on new nodes of an offering, in money and in time.
     *
     * @param status of the offering; null when it was never asked
     */
    default RunCost cost(Demand demand, Offering offering, @Nullable OfferingStatus status) {
        return RunCost.of(demand, offering, status);
    }

    /**
     * When the last job of each demand would start on nodes that exist, if nothing were bought: list scheduling by expected
     * run times over {@link NodeView.Duty#busyUntil()}. Demands are served in the order of the list, as
     * {@link #byImportance} gives it. Costs shapes x groups of alike nodes, whatever the number of jobs.
     *
     * @param nodes that exist; those in flight are usable after their offering's boot, draining and stopped ones never
     * @return by shape; one that is missing cannot start on these nodes, or nobody knows when
     */
    Map<String, Instant> expectedStarts(List<Demand> demands, List<NodeView> nodes, Instant now);

    /**
     * @param onExisting for each shape, how many node slots of it found room on nodes that exist
     * @param nodesUsed existing nodes on which something was placed
     * @param bought new nodes, those for the oldest demand first, each with the shapes it was bought for
     * @param unplaced for each shape of which something found no room, the reason
     */
    record Packing(
            Map<String, Integer> onExisting, Set<String> nodesUsed, List<Bought> bought, Map<String, String> unplaced) {
        public Packing {
            onExisting = Map.copyOf(onExisting);
            nodesUsed = Set.copyOf(nodesUsed);
            bought = List.copyOf(bought);
            unplaced = Map.copyOf(unplaced);
        }
    }

    /**
     * Alike new nodes: acceptable offerings, best first, and the shapes that made them necessary. Nodes for a gang are
     * for that shape alone, so that a gang that cannot be had takes nobody with it.
     */
    record Bought(List<String> shapes, List<OfferingId> offerings, int count) {
        public Bought {
            shapes = List.copyOf(shapes);
            offerings = List.copyOf(offerings);
        }
    }
}
