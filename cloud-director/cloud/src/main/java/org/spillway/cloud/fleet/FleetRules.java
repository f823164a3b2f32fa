package org.spillway.cloud.fleet;

import java.time.Duration;
import org.spillway.cloud.Compute;

/**
 * Waits before something follows from absence, or from the lack of an owner.
 *
 * @param window the provider's: for so long after a launch an instance may be missing from listings, and be denied by id
 * @param apart so far apart two listings have to begin that together prove what one does not: a cache, a replica or a
 *     page that explains the first is no explanation of the second
 * @param asksById whether the provider can be asked by id
 */
public record FleetRules(Duration window, Duration apart, boolean asksById) {
    /**
     * Longer than the caches and replicas behind a listing are stale when they work, and no longer than a job's requeue may
     * wait: a node's lease is ten minutes.
     */
    public static final Duration LEAST_APART = Duration.ofSeconds(30);

    /** A doubted absence that nobody can be asked about lasts that many times as long before it is believed. */
    private static final int DOUBTED_TIMES = 10;

    /** An id about which nothing certain was said is asked for again so much later. */
    static final Duration ASKED_AGAIN = Duration.ofSeconds(5);

    /** Fewer may be missing at once in a fleet of any size; 20 % in a larger one. */
    private static final int FEW = 3;

    private static final int OF_FIVE = 5;

    public static FleetRules of(Compute compute) {
        return of(compute.consistencyWindow(), compute.lookup().isPresent());
    }

    public static FleetRules of(Duration window, boolean asksById) {
        return new FleetRules(window, window.compareTo(LEAST_APART) > 0 ? window : LEAST_APART, asksById);
    }

    /** Whether so many instances cannot have gone from one look to the next without a listing being wrong. */
    boolean isDoubtful(int missing, int lived) {
        return missing > Math.max(FEW, lived / OF_FIVE);
    }

    /** How long an absence lasts that is believed although no answer by id supports it. */
    Duration lasting(boolean doubted) {
        return doubted ? apart.multipliedBy(DOUBTED_TIMES) : apart;
    }
}
