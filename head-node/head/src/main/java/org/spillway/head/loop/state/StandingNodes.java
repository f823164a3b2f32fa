package org.spillway.head.loop.state;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.settings.SitePlan;
import org.spillway.head.loop.settings.StandingCapacity;

/**
 * The nodes of a site that are always there, reckoned once for all of its nodes: which they are depends on all the others.
 *
 * @param plan that says what is kept
 * @param changes of nodes that were counted when it was reckoned; it holds while there are no more
 * @param all of them
 * @param pooled those that run only while something needs them
 */
public record StandingNodes(SitePlan plan, long changes, Set<String> all, Set<String> pooled) {
    static StandingNodes of(SitePlan plan, long changes, List<NodeRecord> nodes) {
        Set<String> all = new HashSet<>();
        Set<String> pooled = new HashSet<>();
        for (StandingCapacity capacity : plan.nodes().standing()) {
            List<String> those = counted(plan, capacity, nodes);
            all.addAll(those);
            if (!capacity.powered()) {
                pooled.addAll(those);
            }
        }
        return new StandingNodes(plan, changes, Set.copyOf(all), Set.copyOf(pooled));
    }

    /** The nodes that count towards what is kept of a type, the oldest first. */
    static List<String> counted(SitePlan plan, StandingCapacity capacity, List<NodeRecord> nodes) {
        return nodes.stream()
                .filter(node -> !node.isDirector()
                        && node.site().equals(plan.name())
                        && node.offering().instanceType().equals(capacity.type())
                        && stays(node))
                .sorted(Comparator.comparing(
                                (NodeRecord node) -> node.costFrom() == null ? node.since() : node.costFrom())
                        .thenComparingInt(node -> node.id().length())
                        .thenComparing(NodeRecord::id))
                .limit(capacity.count())
                .map(NodeRecord::id)
                .toList();
    }

    private static boolean stays(NodeRecord node) {
        return switch (node.nodeState()) {
            case REQUESTED, LAUNCHING, BOOTING, PROVISIONING, JOINING, READY, STOPPING, STOPPED, REPURPOSING -> true;
            case DRAINING -> node.care().parked();
            case TERMINATING, TERMINATED, UNREACHABLE, RECLAIMING, FAILED -> false;
        };
    }
}
