package org.spillway.scaler.policyhost;

import java.time.Duration;

/** How long something that failed is left alone before it is tried again: each time twice as long, up to a bound. */
final class Pauses {
    /** For a child that ended and is to be started again: 1 s to 64 s. */
    static final Pauses START = new Pauses(Duration.ofSeconds(1));
    /** For a policy that is disabled, or a file that did not pass: a minute to 64 minutes. */
    static final Pauses TRIAL = new Pauses(Duration.ofMinutes(1));

    private static final int MOST_DOUBLINGS = 6;

    private final Duration first;

    private Pauses(Duration first) {
        this.first = first;
    }

    /** @param failures so far, 1 or more; less counts as one */
    Duration after(int failures) {
        return first.multipliedBy(1L << Math.min(MOST_DOUBLINGS, Math.max(0, failures - 1)));
    }
}
