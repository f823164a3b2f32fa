package org.spillway.head.loop.state;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.settings.Kept;
import org.spillway.head.loop.settings.SitePlan;

/**
 * The nodes of a site that are always there, reckoned once for all of its nodes: which they are depends on all the others.
 *
 * @param plan that says what is kept
 * @param changes of nodes that were counted when it was reckoned; it holds while there are no more
 * @param all of them
 * @param pooled those that run only while something needs them
 */
public record KeptNodes(SitePlan plan, long changes, Set<String> all, Set<String> pooled) {
    static KeptNodes of(SitePlan plan, long changes, List<NodeRecord> nodes) {
        Set<String> all = new HashSet<>();
        Set<String> pooled = new HashSet<>();
        for (Kept kept : plan.kept()) {
            List<String> those = counted(plan, kept, nodes);
            all.addAll(those);
            if (!kept.powered()) {
                pooled.addAll(those);
            }
        }
        return new KeptNodes(plan, changes, Set.copyOf(all), Set.copyOf(pooled));
    }

    /** The nodes that count towards what is kept of a type, the oldest first. */
    static List<String> counted(SitePlan plan, Kept kept, List<NodeRecord> nodes) {
        return nodes.stream()
                .filter(node -> !node.isDirector()
                        && node.site().equals(plan.name())
                        && node.offering().instanceType().equals(kept.type())
                        && stays(node))
                .sorted(Comparator.comparing(
                                (NodeRecord node) -> node.costFrom() == null ? node.since() : node.costFrom())
                        .thenComparingInt(node -> node.id().length())
                        .thenComparing(NodeRecord::id))
                .limit(kept.count())
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
