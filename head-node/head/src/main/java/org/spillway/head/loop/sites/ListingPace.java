package org.spillway.head.loop.sites;

import java.time.Duration;
import org.spillway.cloud.RateLimits;

/**
 * How long a site rests between two listings: quick only while something is expected to change, and never so quick that
 * listings take more than a fifth of what the provider allows for the account, which has other users. Pure.
 */
final class ListingPace {
    private static final Duration WHEN_BUSY = Duration.ofMillis(500);
    /** Where nobody counts. */
    private static final Duration WHEN_STEADY = Duration.ofSeconds(5);
    /** Leases tell of a machine's death sooner. */
    private static final Duration WHEN_STEADY_AND_COUNTED = Duration.ofSeconds(15);

    private static final Duration WHEN_EMPTY = Duration.ofSeconds(30);
    /** Something may follow from the next look, or is doubted. */
    private static final Duration WHEN_UNSURE = Duration.ofSeconds(2);

    private static final Duration LONGEST_AFTER_FAILURE = Duration.ofSeconds(30);
    private static final double SHARE = 0.2;
    private static final double NANOS = 1e9;
    private static final double MINUTE_SECONDS = 60;
    private static final double ROUNDING = 1e-9;

    private ListingPace() {}

    /** Kinds of what may be seen next. */
    enum Expected {
        /** A launch, a boot, an end. */
        CHANGE,
        /** A look that proves something, or does not. */
        PROOF,
        /** Machines that go on as they are. */
        NOTHING,
        /** Nothing is there. */
        NO_MACHINE
    }

    /**
     * @param calls that the last listing was made of, 1 or more
     * @param failures in a row
     */
    static Duration pause(Expected expected, RateLimits limits, long calls, int failures) {
        boolean counted = limits.countsListings();
        Duration wanted = switch (expected) {
            case CHANGE -> WHEN_BUSY;
            case PROOF -> WHEN_UNSURE;
            case NOTHING -> counted ? WHEN_STEADY_AND_COUNTED : WHEN_STEADY;
            case NO_MACHINE -> WHEN_EMPTY;
        };
        Duration fair = counted ? fair(calls, limits.listings().perSecond()) : Duration.ZERO;
        return max(max(wanted, fair), counted ? afterFailures(failures) : Duration.ZERO);
    }

    /** A whole number of listings in a minute, where one fits: then no minute has more calls than the share. */
    private static Duration fair(long calls, double perSecond) {
        double aMinute = SHARE * MINUTE_SECONDS * perSecond / calls;
        double whole = aMinute < 1 ? aMinute : Math.floor(aMinute + ROUNDING);
        return Duration.ofNanos((long) (MINUTE_SECONDS / whole * NANOS));
    }

    private static Duration afterFailures(int failures) {
        Duration pause = failures == 0 ? Duration.ZERO : WHEN_UNSURE;
        for (int i = 1; i < failures && pause.compareTo(LONGEST_AFTER_FAILURE) < 0; i++) {
            pause = pause.multipliedBy(2);
        }
        return pause.compareTo(LONGEST_AFTER_FAILURE) < 0 ? pause : LONGEST_AFTER_FAILURE;
    }

    private static Duration max(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }
}
