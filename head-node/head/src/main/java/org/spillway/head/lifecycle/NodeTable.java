package org.spillway.head.lifecycle;

import java.util.Locale;
import org.spillway.api.NodeState;

/**
 * The table over job, node and instance: what follows from what was seen. Pure and total. Grace windows lie in its
 * inputs: {@link Sight#GONE} and {@link Contact#EXPIRED} are said only after their windows.
 *
 * <p>The rules it keeps, whatever comes in: a job is requeued only when its node's instance is proven gone or the
 * node's lease is certainly over; a node's record ends only when its instance is proven gone or none was ever named; an
 * instance that may cost money and serves nobody is asked to end until it is gone.
 */
public final class NodeTable {
    /** Why a node is ended that was lost. */
    public static final String NOT_HEARD = "not heard from";

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
            String why = end == NodeState.FAILED ? "its instance is gone" : "";
            return state == NodeState.STOPPING || state == NodeState.STOPPED
                    ? new NodeVerdict(NodeState.FAILED, false, hasJob, why)
                    : new NodeVerdict(end, false, hasJob, why);
        }
        return switch (state) {
            case REQUESTED -> new NodeVerdict(NodeState.LAUNCHING, false, false, "");
            case LAUNCHING -> new NodeVerdict(NodeState.BOOTING, false, false, "");
            case BOOTING -> booting(sight, contact, director);
            case PROVISIONING, JOINING -> arriving(state, sight, contact, director);
            case READY, DRAINING -> serving(state, sight, contact, hasJob, director);
            case UNREACHABLE ->
                new NodeVerdict(NodeState.TERMINATING, true, hasJob && contact == Contact.EXPIRED, NOT_HEARD);
            case TERMINATING -> new NodeVerdict(state, sight != Sight.ENDING, hasJob && contact == Contact.EXPIRED, "");
            case REPURPOSING -> repurposing(sight, contact);
            case STOPPING, STOPPED, RECLAIMING -> elsewhere(state, sight, contact, hasJob);
            case TERMINATED, FAILED -> stay(state);
        };
    }

    private static NodeVerdict booting(Sight sight, Contact contact, boolean director) {
        if (isLost(sight)) {
            return end("its instance stopped while it booted");
        }
        if (contact == Contact.OVERDUE || contact == Contact.SILENT || contact == Contact.EXPIRED) {
            return end("it did not come up in time");
        }
        if (director) {
            return sight == Sight.RUNNING
                    ? new NodeVerdict(NodeState.PROVISIONING, false, false, "")
                    : stay(NodeState.BOOTING);
        }
        return contact == Contact.POORLY || contact == Contact.WELL
                ? new NodeVerdict(NodeState.JOINING, false, false, "")
                : stay(NodeState.BOOTING);
    }

    private static NodeVerdict arriving(NodeState state, Sight sight, Contact contact, boolean director) {
        if (isLost(sight)) {
            return end("its instance stopped before it was ready");
        }
        return switch (contact) {
            case OVERDUE, EXPIRED -> end("it was not ready in time");
            case SILENT -> end("it fell silent before it was ready");
            case WELL ->
                director && state == NodeState.PROVISIONING
                        ? new NodeVerdict(NodeState.JOINING, false, false, "")
                        : state == NodeState.JOINING ? new NodeVerdict(NodeState.READY, false, false, "") : stay(state);
            case AWAITED, POORLY -> stay(state);
        };
    }

    private static NodeVerdict serving(
            NodeState state, Sight sight, Contact contact, boolean hasJob, boolean director) {
        if (isLost(sight)) {
            return new NodeVerdict(NodeState.TERMINATING, true, false, "its instance stopped");
        }
        if (contact == Contact.SILENT || contact == Contact.EXPIRED || contact == Contact.OVERDUE) {
            return new NodeVerdict(NodeState.UNREACHABLE, true, false, "not heard from for longer than its lease");
        }
        if (state == NodeState.DRAINING && !hasJob) {
            return new NodeVerdict(NodeState.TERMINATING, true, false, director ? "idle" : "drained");
        }
        return stay(state);
    }

    /** The node's old profile is over, so it takes the new one, or ends. */
    private static NodeVerdict repurposing(Sight sight, Contact contact) {
        if (isLost(sight)) {
            return end("its instance stopped while it became another");
        }
        return switch (contact) {
            case WELL -> new NodeVerdict(NodeState.READY, false, false, "");
            case AWAITED, POORLY -> stay(NodeState.REPURPOSING);
            case OVERDUE, SILENT, EXPIRED -> end("it did not become another in time");
        };
    }

    /**
     * Powering and reclaiming are decided elsewhere; here they only must not be left behind. Whoever keeps
     * a node stopped on purpose says {@link Contact#AWAITED}.
     */
    private static NodeVerdict elsewhere(NodeState state, Sight sight, Contact contact, boolean hasJob) {
        if (contact == Contact.OVERDUE || contact == Contact.SILENT || contact == Contact.EXPIRED) {
            return new NodeVerdict(
                    NodeState.TERMINATING, true, hasJob && contact == Contact.EXPIRED, "it did not come back in time");
        }
        return sight == Sight.ENDING
                ? end("its instance ended while it was " + state.name().toLowerCase(Locale.ROOT))
                : stay(state);
    }

    private static boolean isLost(Sight sight) {
        return sight == Sight.STOPPED || sight == Sight.ENDING;
    }

    private static NodeVerdict end(String reason) {
        return new NodeVerdict(NodeState.TERMINATING, true, false, reason);
    }

    private static NodeVerdict stay(NodeState state) {
        return new NodeVerdict(state, false, false, "");
    }
}
