package org.spillway.head.loop.sites;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.journal.NodeRecord;

/**
 * When the head ends a director by its own will, in whatever state it is. Pure. A director that fell silent or whose
 * instance is gone is ended by the table of nodes.
 */
record DirectorEnd(NodeRecord director, Wish wish, Instant now) {
    /**
     * The wishes of the site for its director.
     *
     * @param needed by jobs, nodes or results
     * @param releasing the head ends all its instances
     * @param isOverBudget its next stretch cannot be paid
     * @param isSpent directors that never served have cost what they may
     * @param idleSince null while it is needed
     * @param idle how long one is kept without anything to do
     */
    record Wish(
            boolean needed,
            boolean releasing,
            boolean isOverBudget,
            boolean isSpent,
            @Nullable Instant idleSince,
            Duration idle) {
        boolean isIdle(Instant now) {
            return !needed && idleSince != null && !now.isBefore(idleSince.plus(idle));
        }
    }

    /** The director in its next state; empty when it stays as it is. */
    Optional<NodeRecord> next() {
        return switch (director.nodeState()) {
            case BOOTING, PROVISIONING, JOINING -> ended(NodeState.TERMINATING, whyNotAwaited());
            case READY -> ended(NodeState.DRAINING, whyNotKept());
            case DRAINING -> isToServe() ? ended(NodeState.READY, NodeFact.NEEDED_AGAIN) : Optional.empty();
            default -> Optional.empty();
        };
    }

    private Optional<NodeRecord> ended(NodeState next, Cause why) {
        return why.isNone() ? Optional.empty() : Optional.of(director.to(next, why, now));
    }

    /** A director that never served has nothing of anybody's: nothing is lost with it. */
    private Cause whyNotAwaited() {
        boolean isNew = director.servedFrom() == null;
        if (isNew && wish.isSpent) {
            return NodeFact.TRIALS_SPENT;
        }
        if (isNew && wish.isOverBudget) {
            return NodeFact.OVER_BUDGET;
        }
        if (wish.releasing && (isNew || !wish.needed)) {
            return NodeFact.RELEASED;
        }
        return wish.isIdle(now) ? NodeFact.IDLE : Cause.NONE;
    }

    private Cause whyNotKept() {
        if (wish.isOverBudget) {
            return NodeFact.OVER_BUDGET;
        }
        if (wish.releasing && !wish.needed) {
            return NodeFact.RELEASED;
        }
        return wish.isIdle(now) ? NodeFact.IDLE : Cause.NONE;
    }

    private boolean isToServe() {
        Cause why = director.cause();
        return wish.needed && why != NodeFact.OVER_BUDGET && why != NodeFact.REMOVED_BY_HAND;
    }
}
