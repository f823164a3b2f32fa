package org.spillway.proof.demo;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.spillway.api.NodeView;

/**
 * Whether every instance has a node that owns it, and every node one instance. An instance may be without an owner for a
 * while, when the answer of its launch was lost; after a sweep none may.
 */
final class OwnerWatch {
    private final Map<String, Set<String>> joined = new LinkedHashMap<>();
    private final Set<String> seen = new HashSet<>();
    private List<String> unowned = List.of();

    /** Notes the nodes that the head shows now. */
    void look(Scene scene) {
        for (NodeView node : scene.nodes()) {
            boolean serves = switch (node.state()) {
                case JOINING, READY, DRAINING -> true;
                default -> false;
            };
            if (serves && !node.instance().isEmpty()) {
                joined.computeIfAbsent(node.id(), id -> new TreeSet<>()).add(node.instance());
                seen.add(node.instance());
            }
        }
    }

    /** After a sweep: @param live all instances of the regions that have not ended */
    void sweep(Scene scene, Map<String, List<LocalCloudAccess.Machine>> live) {
        List<String> without = new ArrayList<>();
        live.forEach((site, machines) -> {
            for (LocalCloudAccess.Machine machine : machines) {
                boolean owned = scene.nodes().stream()
                        .filter(node ->
                                node.site().equals(site) && !node.state().isTerminal())
                        .anyMatch(node -> isOf(node, machine));
                if (!owned) {
                    without.add(site + ": " + machine.id());
                }
            }
        });
        unowned = List.copyOf(without);
    }

    /** A provider's own word for an instance may be longer than that of the cloud behind it; the address is the same. */
    private static boolean isOf(NodeView node, LocalCloudAccess.Machine machine) {
        return node.instance().equals(machine.id())
                || (!machine.address().isEmpty() && node.address().equals(machine.address()));
    }

    boolean allOwned() {
        return unowned.isEmpty();
    }

    DemoReport.OwnersPart report() {
        List<String> twins = joined.entrySet().stream()
                .filter(node -> node.getValue().size() > 1)
                .map(node -> node.getKey() + ": " + String.join(", ", node.getValue()))
                .toList();
        return new DemoReport.OwnersPart(seen.size(), unowned, twins);
    }
}
