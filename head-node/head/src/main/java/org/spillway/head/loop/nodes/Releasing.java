package org.spillway.head.loop.nodes;

import java.time.Duration;
import java.time.Instant;
import org.spillway.api.NodeState;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.state.LiveNodes;
import org.spillway.head.loop.state.World;

/** Ends all compute nodes of a head that ends its instances. */
public final class Releasing {
    /** How long a node is kept for a manager that has not said that nothing of its own is there. */
    private static final Duration VACATING = Duration.ofMinutes(1);

    private final World world;
    private final LiveNodes live;

    public Releasing(World world, LiveNodes live) {
        this.world = world;
        this.live = live;
    }

    /** Compute nodes end at once, their jobs are requeued for another life of the head; directors when results are home. */
    public void advance(Instant now) {
        for (NodeRecord node : live.nodes()) {
            if (node.isDirector()) {
                continue;
            }
            switch (node.nodeState()) {
                case READY, DRAINING -> {
                    world.ports().workload().nodes().drain(node.id(), NodeFact.RELEASED.text());
                    vacate(node, now);
                }
                case BOOTING, PROVISIONING, JOINING, STOPPING, STOPPED, REPURPOSING -> {
                    world.ports().workload().nodes().drain(node.id(), NodeFact.RELEASED.text());
                    world.journal().commit(now, node.to(NodeState.TERMINATING, NodeFact.RELEASED, now));
                }
                default -> {}
            }
        }
    }

    private void vacate(NodeRecord node, Instant now) {
        boolean vacant = world.ports()
                .workload()
                .nodeList()
                .map(its -> its.isVacant(node.id()))
                .orElse(true);
        boolean late = node.nodeState() == NodeState.DRAINING
                && now.isAfter(node.since().plus(VACATING));
        if (vacant || late) {
            world.journal().commit(now, node.to(NodeState.TERMINATING, NodeFact.RELEASED, now));
        } else if (node.nodeState() == NodeState.READY) {
            world.journal().commit(now, node.to(NodeState.DRAINING, NodeFact.RELEASED, now));
        }
    }
}
