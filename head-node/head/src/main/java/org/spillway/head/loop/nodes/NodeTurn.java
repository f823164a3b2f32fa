package org.spillway.head.loop.nodes;

import org.spillway.head.cause.Cause;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.NodeCause.NodeFact;

/**
 * An administrator's order to make a node another.
 *
 * @param name of the category, empty for none; or of the overlay
 * @param drain whether a node with jobs gets no further ones and changes when they are over; otherwise it is refused
 */
public record NodeTurn(Kind kind, String name, boolean drain) {
    public enum Kind {
        /** The node becomes one of a category, with the overlays that its nodes have from the beginning. */
        REPURPOSE,
        /** The node takes on an overlay beside what it is. */
        JOIN,
        LEAVE
    }

    Cause cause() {
        return switch (kind) {
            case REPURPOSE -> new NodeCause.Repurposed(name, NodeFact.BY_HAND);
            case JOIN -> new NodeCause.Overlaid(name, true, NodeFact.BY_HAND);
            case LEAVE -> new NodeCause.Overlaid(name, false, NodeFact.BY_HAND);
        };
    }
}
