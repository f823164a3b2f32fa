package org.spillway.head.placement;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.spillway.head.cause.Cause;
import org.spillway.policy.Money;

/**
 * A job's prospect in a site.
 *
 * @param site empty when nothing can be expected of any
 * @param now whether there is room for it, or may be bought, without waiting for anybody
 * @param nodes that exist and that it would have, there or on their way; those that are bought first are not among them
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
        List<String> nodes,
        boolean buys,
        String offering,
        Money pricePerHour,
        Money egress,
        @Nullable Instant start,
        Cause obstacle) {
    public Prospect {
        nodes = List.copyOf(nodes);
    }

    static Prospect none(String site, Cause obstacle) {
        return new Prospect(site, false, List.of(), false, "", Money.ZERO, Money.ZERO, null, obstacle);
    }
}
