package org.spillway.head.audit;

import org.spillway.cloud.Billable;
import org.spillway.policy.Money;

/**
 * A thing of a bill, and whose it is.
 *
 * @param owner in words; empty for an orphan
 * @param node id of the node that owns it; empty for none or several
 * @param user whose job runs there; empty for none
 * @param why it has no owner, or why nobody can tell; empty for an owned one
 */
public record Owned(Billable thing, Verdict verdict, String owner, String node, String user, String why) {
    /** Whose it is. */
    public enum Verdict {
        /** The journal knows why it exists. */
        OWNED,
        /** The thing bears this cluster's mark, and the journal knows nothing of it. */
        ORPHAN,
        /** The thing cannot bear a mark, or bears one that a person gave it: nobody can tell. */
        UNMARKED
    }

    static Owned by(Billable thing, String owner) {
        return new Owned(thing, Verdict.OWNED, owner, "", "", "");
    }

    static Owned by(Billable thing, Books.Holder holder) {
        return new Owned(thing, Verdict.OWNED, holder.words(), holder.node(), holder.user(), "");
    }

    static Owned orphan(Billable thing, String why) {
        return new Owned(thing, Verdict.ORPHAN, "", "", "", why);
    }

    static Owned unmarked(Billable thing, String why) {
        return new Owned(thing, Verdict.UNMARKED, "", "", "", why);
    }

    public boolean isOrphan() {
        return verdict == Verdict.ORPHAN;
    }

    public Money pricePerHour() {
        return thing.pricePerHour();
    }
}
