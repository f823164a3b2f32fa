package org.spillway.head.lifecycle;

import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.NodeCause.NodeFact;

/**
 * The table over job, node and instance: what follows from what was seen. Pure and total. Grace windows lie in its
 * inputs: {@link Sight#GONE} and {@link Contact#EXPIRED} are said only after their windows.
 *
 * <p>The rules it keeps, whatever comes in: a job is requeued only when its node's instance is proven gone or the
 * node's lease is certainly over; a node's record ends only when its instance is proven gone or none was ever named; an
 * instance that may cost money and serves nobody is asked to end until it is gone.
 */
public final class NodeTable {
    private NodeTable() {}

    /**
     * @param state of the node or director, not terminal
     * @param sight what the provider says of its instance
     * @param contact what the director (or, for a director, the link) says of it
     * @param hasJob whether a running attempt is bound to it
     * @param director whether it is a director
     */
    public static NodeVerdict verdict(NodeState state, Sight sight, Contact contact, boolean hasJob, boolean director) {
        if (state.isTerminal()) {
            return stay(state);
        }
        if (sight == Sight.UNNAMED) {
            // No instance: the intent decides; a node that has none to wait for any more was ended with its intent.
            return stay(state);
        }
        if (sight == Sight.GONE) {
            NodeState end = state == NodeState.TERMINATING ? NodeState.TERMINATED : NodeState.FAILED;
            Cause why = end == NodeState.FAILED ? NodeFact.INSTANCE_GONE : Cause.NONE;
            return state == NodeState.STOPPING || state == NodeState.STOPPED
                    ? new NodeVerdict(NodeState.FAILED, false, hasJob, why)
                    : new NodeVerdict(end, false, hasJob, why);
        }
        return switch (state) {
            case REQUESTED -> new NodeVerdict(NodeState.LAUNCHING, false, false, Cause.NONE);
            case LAUNCHING -> new NodeVerdict(NodeState.BOOTING, false, false, Cause.NONE);
            case BOOTING -> booting(sight, contact, director);
            case PROVISIONING, JOINING -> arriving(state, sight, contact, director);
            case READY, DRAINING -> serving(state, sight, contact, hasJob, director);
            case UNREACHABLE ->
                new NodeVerdict(NodeState.TERMINATING, true, hasJob && contact == Contact.EXPIRED, NodeFact.NOT_HEARD);
            case TERMINATING ->
                new NodeVerdict(state, sight != Sight.ENDING, hasJob && contact == Contact.EXPIRED, Cause.NONE);
            case REPURPOSING -> repurposing(sight, contact);
            case STOPPING, STOPPED -> elsewhere(state, sight, contact, hasJob);
            case RECLAIMING -> reclaiming(sight, contact, hasJob);
            case TERMINATED, FAILED -> stay(state);
        };
    }

    private static NodeVerdict booting(Sight sight, Contact contact, boolean director) {
        if (isLost(sight)) {
            return end(NodeFact.STOPPED_WHILE_BOOTING);
        }
        if (contact == Contact.OVERDUE || contact == Contact.SILENT || contact == Contact.EXPIRED) {
            return end(NodeFact.NOT_UP_IN_TIME);
        }
        if (director) {
            return sight == Sight.RUNNING
                    ? new NodeVerdict(NodeState.PROVISIONING, false, false, Cause.NONE)
                    : stay(NodeState.BOOTING);
        }
        return contact == Contact.POORLY || contact == Contact.WELL
                ? new NodeVerdict(NodeState.JOINING, false, false, Cause.NONE)
                : stay(NodeState.BOOTING);
    }

    private static NodeVerdict arriving(NodeState state, Sight sight, Contact contact, boolean director) {
        if (isLost(sight)) {
            return end(NodeFact.STOPPED_BEFORE_READY);
        }
        return switch (contact) {
            case OVERDUE, EXPIRED -> end(NodeFact.NOT_READY_IN_TIME);
            case SILENT -> end(NodeFact.SILENT_BEFORE_READY);
            case WELL ->
                director && state == NodeState.PROVISIONING
                        ? new NodeVerdict(NodeState.JOINING, false, false, Cause.NONE)
                        : state == NodeState.JOINING
                                ? new NodeVerdict(NodeState.READY, false, false, Cause.NONE)
                                : stay(state);
            case AWAITED, POORLY -> stay(state);
        };
    }

    private static NodeVerdict serving(
            NodeState state, Sight sight, Contact contact, boolean hasJob, boolean director) {
        if (isLost(sight)) {
            return new NodeVerdict(NodeState.TERMINATING, true, false, NodeFact.INSTANCE_STOPPED);
        }
        if (contact == Contact.SILENT || contact == Contact.EXPIRED || contact == Contact.OVERDUE) {
            return new NodeVerdict(NodeState.UNREACHABLE, true, false, NodeFact.LEASE_NOT_RENEWED);
        }
        if (state == NodeState.DRAINING && !hasJob) {
            return new NodeVerdict(NodeState.TERMINATING, true, false, director ? NodeFact.IDLE : NodeFact.DRAINED);
        }
        return stay(state);
    }

    /** The node's old profile is over, so it takes the new one, or ends. */
    private static NodeVerdict repurposing(Sight sight, Contact contact) {
        if (isLost(sight)) {
            return end(NodeFact.STOPPED_WHILE_CHANGING);
        }
        return switch (contact) {
            case WELL -> new NodeVerdict(NodeState.READY, false, false, Cause.NONE);
            case AWAITED, POORLY -> stay(NodeState.REPURPOSING);
            case OVERDUE, SILENT, EXPIRED -> end(NodeFact.NOT_CHANGED_IN_TIME);
        };
    }

    /** A node whose provider has given notice: it is ended when nobody's results are on it any more, or the provider was first. */
    private static NodeVerdict reclaiming(Sight sight, Contact contact, boolean hasJob) {
        if (isLost(sight)) {
            return new NodeVerdict(
                    NodeState.TERMINATING,
                    true,
                    hasJob && contact == Contact.EXPIRED,
                    new NodeCause.InstanceEnded(NodeState.RECLAIMING));
        }
        if (contact == Contact.SILENT || contact == Contact.EXPIRED || contact == Contact.OVERDUE) {
            return new NodeVerdict(
                    NodeState.TERMINATING, true, hasJob && contact == Contact.EXPIRED, NodeFact.LEASE_NOT_RENEWED);
        }
        return hasJob ? stay(NodeState.RECLAIMING) : end(NodeFact.DRAINED);
    }

    /**
     * Powering is decided elsewhere; here it only must not be left behind. Whoever keeps a node stopped on purpose says
     * {@link Contact#AWAITED}.
     */
    private static NodeVerdict elsewhere(NodeState state, Sight sight, Contact contact, boolean hasJob) {
        if (contact == Contact.OVERDUE || contact == Contact.SILENT || contact == Contact.EXPIRED) {
            return new NodeVerdict(
                    NodeState.TERMINATING, true, hasJob && contact == Contact.EXPIRED, NodeFact.NOT_BACK_IN_TIME);
        }
        return sight == Sight.ENDING ? end(new NodeCause.InstanceEnded(state)) : stay(state);
    }

    private static boolean isLost(Sight sight) {
        return sight == Sight.STOPPED || sight == Sight.ENDING;
    }

    private static NodeVerdict end(NodeCause cause) {
        return new NodeVerdict(NodeState.TERMINATING, true, false, cause);
    }

    private static NodeVerdict stay(NodeState state) {
        return new NodeVerdict(state, false, false, Cause.NONE);
    }
}
