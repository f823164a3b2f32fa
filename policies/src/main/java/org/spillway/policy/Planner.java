package org.spillway.policy;

import java.util.List;
import java.util.Map;

/** Packing as a tool for policies; the host's implementation. Pure, and the same answer for the same arguments. */
public interface Planner {
    /**
     * Packs demands onto the room that exists (idle, in flight, partly free), then onto new nodes of the given
     * offerings, the cheapest first.
     *
     * @param demands what waits, most important first
     * @param nodes existing nodes; draining and stopped ones are not used
     * @param offerings what may be bought; order breaks ties in price
     */
    Packing pack(List<Demand> demands, List<NodeView> nodes, List<Offering> offerings);

    /**
     * @param onExisting for each shape, how many node slots of it found room on nodes that exist
     * @param bought new nodes by offering, each with the shapes it was bought for
     * @param unplaced for each shape that found no room at all, the reason
     */
    record Packing(Map<String, Integer> onExisting, List<Bought> bought, Map<String, String> unplaced) {
        public Packing {
            onExisting = Map.copyOf(onExisting);
            bought = List.copyOf(bought);
            unplaced = Map.copyOf(unplaced);
        }
    }

    /** Alike new nodes: acceptable offerings, best first, and the shapes that made them necessary. */
    record Bought(List<String> shapes, List<OfferingId> offerings, int count) {
        public Bought {
            shapes = List.copyOf(shapes);
            offerings = List.copyOf(offerings);
        }
    }
}
