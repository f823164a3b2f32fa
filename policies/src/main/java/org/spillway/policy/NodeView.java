package org.spillway.policy;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A node as a policy sees it.
 *
 * @param offering what it was bought as; null for a node at home
 * @param free what is not allocated to a job
 * @param since when it entered this phase
 * @param keep an administrator said that it must not be released
 */
public record NodeView(
        String id,
        String site,
        @Nullable OfferingId offering,
        Phase phase,
        Resources total,
        Resources free,
        Instant since,
        Money pricePerHour,
        boolean keep) {

    /** Coarser than the head's node states: what a policy may act on. */
    public enum Phase {
        IN_FLIGHT,
        IDLE,
        ALLOCATED,
        DRAINING,
        STOPPED
    }
}
