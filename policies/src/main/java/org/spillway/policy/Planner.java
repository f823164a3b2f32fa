package org.spillway.policy;

import java.util.List;
import java.util.Map;
import java.util.Set;

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
