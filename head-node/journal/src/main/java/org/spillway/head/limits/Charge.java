package org.spillway.head.limits;

import java.time.Instant;
import org.spillway.head.journal.EgressRecord;
import org.spillway.policy.Money;

/**
 * Money for what a site let out, or is expected to.
 *
 * @param at when; what is expected is of now
 * @param user who bears it, with the account and the queue
 */
public record Charge(String site, String queue, String user, String account, Instant at, Money price) {
    public static Charge of(EgressRecord brought) {
        return new Charge(
                brought.site(), brought.queue(), brought.user(), brought.account(), brought.quarter(), brought.price());
    }

    /** Whether a limit counts it; one of certain instance types does not. */
    boolean isOf(Cap cap, String name) {
        return switch (cap.scope()) {
            case SITE -> cap.types().isEmpty() && site.equals(name);
            case QUEUE -> queue.equals(name);
            case USER -> user.equals(name);
            case ACCOUNT -> account.equals(name);
            case ALL -> true;
            case QUOTA_FAMILY, LICENCE, LAUNCHES_PER_MINUTE -> false;
        };
    }
}
