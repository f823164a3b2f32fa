package org.spillway.head.workload;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.spillway.policy.Market;
import org.spillway.policy.Resources;

/**
 * A job that may be given to nodes.
 *
 * @param perNode what it takes of each of its nodes
 * @param count nodes, 1 or more: all of one site, and all at once or none
 * @param attempt attempts that it has had; the next allocation is for this plus one
 * @param foreign by which the manager knows it, as {@link ForeignJob#key}; empty for one that was given to the head
 * @param nodes where it runs already, when the head was started again meanwhile; empty when it waits
 * @param fit which nodes it may have besides
 */
public record ReleasedJob(
        String id,
        String site,
        Resources perNode,
        int count,
        int priority,
        Instant submittedAt,
        int attempt,
        String foreign,
        List<String> nodes,
        Fit fit) {
    /**
     * @param category of the nodes that it runs on; empty for those without one
     * @param markets in which those may have been bought
     */
    public record Fit(String category, Set<Market> markets) {
        /** Nodes without a category that no provider takes back. */
        public static final Fit USUAL = new Fit("", Market.STEADY);

        public Fit {
            markets = Set.copyOf(markets);
        }

        public boolean takes(JoinedNode node) {
            return node.category().equals(category) && markets.contains(node.market());
        }
    }

    public ReleasedJob {
        nodes = List.copyOf(nodes);
    }
}
