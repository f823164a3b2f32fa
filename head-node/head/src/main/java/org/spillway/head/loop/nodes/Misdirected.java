package org.spillway.head.loop.nodes;

import java.util.Optional;
import org.spillway.api.NodeState;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.lifecycle.NodeVerdict;
import org.spillway.head.loop.state.SiteState;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;

/**
 * Nodes that come up for a director that is no more. A node knows one address, that of its first boot: where the next
 * director of its site has another, it would ask in vain, and be paid for, until its time to join is over.
 */
record Misdirected(World world, Sites sites) {
    private static final NodeVerdict ENDED =
            new NodeVerdict(NodeState.TERMINATING, true, false, NodeFact.DIRECTOR_REPLACED);

    /** Empty for a node that may still join, or has. */
    Optional<NodeVerdict> verdict(NodeRecord node) {
        if (node.isDirector() || node.nodeState() != NodeState.BOOTING) {
            return Optional.empty();
        }
        SiteState site = sites.of(node.site());
        // Another director has said what it sees, and the node is not there: the one that it asks can tell nobody of
        // it.
        return sites.readyDirector(node.site())
                .filter(director -> !director.isGiven() && director.id().equals(site.reportFrom))
                .filter(director -> world.journal()
                        .intent(node.intent())
                        .filter(intent -> !world.ports()
                                .credentials()
                                .leadsTo(intent.request().userData(), director.inside()))
                        .isPresent())
                .map(director -> ENDED);
    }
}
