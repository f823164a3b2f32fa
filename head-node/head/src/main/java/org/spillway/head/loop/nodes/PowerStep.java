package org.spillway.head.loop.nodes;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.spillway.api.NodeState;
import org.spillway.cloud.Instance;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.settings.IdleNodes;
import org.spillway.policy.Money;

/** The next step for a node that is stopped and started instead of ended. */
sealed interface PowerStep {
    /** Nothing is to be done, or something else has to happen first. */
    record Rest() implements PowerStep {}

    /** The node was off for longer than its site keeps one. @param next to be committed */
    record End(NodeRecord next) implements PowerStep {}

    /** The instance is off. @param next to be committed; then its manager forgets the node */
    record Stopped(NodeRecord next) implements PowerStep {}

    record CallStop(String instance) implements PowerStep {}

    record CallStart(String instance) implements PowerStep {}

    /**
     * Pure.
     *
     * @param seen its instance, as last seen; null when it was not
     * @param stays its site or an administrator keeps it
     * @param idle what its site does with nodes that nothing needs
     */
    static PowerStep of(NodeRecord node, Instance.@Nullable State seen, boolean stays, IdleNodes idle, Instant now) {
        boolean late = node.nodeState() == NodeState.STOPPED
                && !node.care().parked()
                && !stays
                && now.isAfter(node.since().plus(idle.stoppedFor()));
        if (late) {
            return new End(node.to(
                    NodeState.TERMINATING,
                    new NodeCause.StoppedTooLong(idle.stoppedFor().toSeconds()),
                    now));
        }
        String instance = node.instance();
        if (instance == null || seen == null) {
            return new Rest();
        }
        return switch (node.nodeState()) {
            case STOPPING -> stopping(node, instance, seen, idle, now);
            case BOOTING ->
                Powering.wasPoweredOn(node) && seen == Instance.State.STOPPED ? new CallStart(instance) : new Rest();
            default -> new Rest();
        };
    }

    private static PowerStep stopping(
            NodeRecord node, String instance, Instance.State seen, IdleNodes idle, Instant now) {
        return switch (seen) {
            case STOPPED -> {
                Money price = idle.stoppedPrices().get(node.offering().instanceType());
                NodeRecord stopped = node.to(NodeState.STOPPED, node.cause(), now);
                yield new Stopped(price == null ? stopped : stopped.stoppedAt(price, now));
            }
            case RUNNING, PENDING -> new CallStop(instance);
            case STOPPING, TERMINATING, TERMINATED -> new Rest();
        };
    }
}
