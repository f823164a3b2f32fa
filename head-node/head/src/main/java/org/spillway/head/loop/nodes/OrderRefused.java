package org.spillway.head.loop.nodes;

/** An administrator's order is not done; the message says why, and the hint what would help. */
public final class OrderRefused extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Kind of the refusal. */
    public enum Kind {
        /** No such site, node, category or overlay. */
        NOT_FOUND,
        /** The order cannot be carried out in the state that the node or site is in. */
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

    /** Nothing is begun by a head that gives everything back. */
    public static OrderRefused headEnds() {
        return new OrderRefused(Kind.CONFLICT, "this head is ending all its instances", "start it again");
    }

    public Kind kind() {
        return kind;
    }

    public String hint() {
        return hint;
    }
}
