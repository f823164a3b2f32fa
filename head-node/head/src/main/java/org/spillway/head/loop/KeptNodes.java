package org.spillway.head.loop;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.spillway.head.journal.NodeRecord;

/**
 * The nodes of a site that are always there, reckoned once for all of its nodes: which they are depends on all the others.
 *
 * @param plan that says what is kept
 * @param changes of nodes that were counted when it was reckoned; it holds while there are no more
 * @param all of them
 * @param pooled those that run only while something needs them
 */
record KeptNodes(SitePlan plan, long changes, Set<String> all, Set<String> pooled) {
    static KeptNodes of(SitePlan plan, long changes, List<NodeRecord> nodes) {
        Set<String> all = new HashSet<>();
        Set<String> pooled = new HashSet<>();
        for (Kept kept : plan.kept()) {
            List<String> those = Keeping.of(plan, kept, nodes);
            all.addAll(those);
            if (!kept.powered()) {
                pooled.addAll(those);
            }
        }
        return new KeptNodes(plan, changes, Set.copyOf(all), Set.copyOf(pooled));
    }
}
