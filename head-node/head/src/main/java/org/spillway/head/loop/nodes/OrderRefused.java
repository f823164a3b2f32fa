package org.spillway.head.loop.nodes;

/** What an administrator asked for by hand is not done; the message says why, and the hint what would help. */
public final class OrderRefused extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** What kind of refusal it is. */
    public enum Kind {
        /** No such site, node, category or overlay. */
        NOT_FOUND,
        /** It cannot be done in the state that the node or site is in. */
        CONFLICT,
        /** Nothing like that is offered. */
        NO_OFFERING,
        /** A limit or the budget forbids it. */
        LIMIT
    }

    private final Kind kind;
    private final String hint;

    public OrderRefused(Kind kind, String message, String hint) {
        super(message);
        this.kind = kind;
        this.hint = hint;
    }

    public Kind kind() {
        return kind;
    }

    public String hint() {
        return hint;
    }
}
