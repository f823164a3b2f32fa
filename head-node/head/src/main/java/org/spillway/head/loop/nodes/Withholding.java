package org.spillway.head.loop.nodes;

import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.NodeState;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.state.LiveNodes;
import org.spillway.head.loop.state.World;
import org.spillway.head.workload.NodeList;

/**
 * Nodes that administrators of the workload manager take out of service there, and give back. Until then such a node is away
 * for the scaler and is kept as one that was drained by hand is: who looks into its machine must find it.
 */
final class Withholding {
    private static final Logger LOG = LoggerFactory.getLogger(Withholding.class);

    private final World world;
    private final LiveNodes live;

    Withholding(World world, LiveNodes live) {
        this.world = world;
        this.live = live;
    }

    void advance(Instant now) {
        Optional<NodeList> list = world.ports().workload().nodeList();
        if (list.isEmpty()) {
            return;
        }
        for (NodeRecord node : live.nodes()) {
            if (!node.isDirector()) {
                list.get()
                        .withheld(node.id())
                        .flatMap(said -> next(node, said, now))
                        .ifPresent(next -> {
                            LOG.info("{}: {} -> {} {}", node.id(), node.nodeState(), next.nodeState(), next.reason());
                            world.journal().commit(now, next);
                            if (next.nodeState() == NodeState.READY) {
                                world.ports().workload().nodes().join(LiveNodes.joined(next));
                            } else {
                                world.ports().workload().nodes().drain(next.id(), next.reason());
                            }
                        });
            }
        }
    }

    /** @param said empty for a node that nobody keeps from jobs */
    static Optional<NodeRecord> next(NodeRecord node, String said, Instant now) {
        boolean theirs = node.nodeState() == NodeState.DRAINING
                && node.care().parked()
                && node.cause() instanceof NodeCause.Withheld;
        if (node.nodeState() == NodeState.READY && !said.isEmpty()) {
            return Optional.of(node.withCare(new NodeRecord.Care(node.care().keep(), true))
                    .to(NodeState.DRAINING, new NodeCause.Withheld(said), now));
        }
        return theirs && said.isEmpty()
                ? Optional.of(node.withCare(new NodeRecord.Care(node.care().keep(), false))
                        .to(NodeState.READY, NodeFact.GIVEN_BACK, now))
                : Optional.empty();
    }
}
