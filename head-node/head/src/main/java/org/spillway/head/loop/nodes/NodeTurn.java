package org.spillway.head.loop.nodes;

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

    /** As a reason. */
    String text() {
        return switch (kind) {
            case REPURPOSE -> "repurposed as " + (name.isEmpty() ? "one without a category" : name) + " by hand";
            case JOIN -> "joins overlay " + name + " by hand";
            case LEAVE -> "leaves overlay " + name + " by hand";
        };
    }
}
