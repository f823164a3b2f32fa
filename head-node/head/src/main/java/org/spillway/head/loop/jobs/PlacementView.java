package org.spillway.head.loop.jobs;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.spillway.head.cause.Cause;
import org.spillway.policy.Money;

/**
 * Where a job that was not submitted would go now.
 *
 * @param site empty when none can be expected to take it
 * @param offering what each of its nodes would be, {@code zone/type/market}; empty when that is not known
 * @param buys whether nodes would be launched for it
 * @param pricePerHour of all its nodes
 * @param egress expected price of bringing its results home
 * @param staging how long its input takes to the site, at the rate measured last
 * @param start null when nothing can be said
 * @param reason why there, or what is in the way
 */
public record PlacementView(
        String site,
        String offering,
        boolean buys,
        Money pricePerHour,
        Money egress,
        Duration staging,
        @Nullable Instant start,
        String reason) {
    /** A job that is not placed before something else is over. */
    static PlacementView held(Cause why) {
        return new PlacementView("", "", false, Money.ZERO, Money.ZERO, Duration.ZERO, null, why.text());
    }
}
