package org.spillway.head.placement;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.spillway.head.cause.Cause;
import org.spillway.policy.Money;

/**
 * A job's prospect in a site.
 *
 * @param site empty when nothing can be expected of any
 * @param now whether there is room for it, or may be bought, without waiting for anybody
 * @param buys whether nodes have to be launched for it first
 * @param offering what its nodes would be, {@code zone/type/market}; empty when that is not known
 * @param pricePerHour of all its nodes, whole
 * @param egress expected price of bringing its results home from there
 * @param start when it may start; null when nothing can be said
 * @param obstacle what is in the way; none when it can be served now
 */
public record Prospect(
        String site,
        boolean now,
        boolean buys,
        String offering,
        Money pricePerHour,
        Money egress,
        @Nullable Instant start,
        Cause obstacle) {
    static Prospect none(String site, Cause obstacle) {
        return new Prospect(site, false, false, "", Money.ZERO, Money.ZERO, null, obstacle);
    }
}
