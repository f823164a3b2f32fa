package org.spillway.scaler.plan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.spillway.policy.Demand;
import org.spillway.policy.NodeView;

/** Demands with the nodes that may serve them, by category. O(demands + nodes). */
final class Categories {
    private Categories() {}

    /** A category's share of demands and nodes. */
    record Part(List<Demand> demands, List<NodeView> nodes) {}

    /** At least one part, in the order of their names; where all are of one category, these very lists. */
    static List<Part> of(List<Demand> demands, List<NodeView> nodes) {
        Map<String, List<Demand>> wanted = new TreeMap<>();
        demands.forEach(demand -> wanted.computeIfAbsent(demand.category(), name -> new ArrayList<>())
                .add(demand));
        if (wanted.isEmpty()) {
            return List.of(new Part(demands, nodes));
        }
        String only = wanted.keySet().iterator().next();
        if (wanted.size() == 1
                && nodes.stream().allMatch(node -> node.duty().category().equals(only))) {
            return List.of(new Part(demands, nodes));
        }
        Map<String, List<NodeView>> there = new HashMap<>();
        nodes.forEach(node -> there.computeIfAbsent(node.duty().category(), name -> new ArrayList<>())
                .add(node));
        List<Part> parts = new ArrayList<>();
        wanted.forEach((name, some) -> parts.add(new Part(some, there.getOrDefault(name, List.of()))));
        return parts;
    }
}
