package org.spillway.cloud.fleet;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A place for one instance: a live node of the journal.
 *
 * @param instance the provider's id; null while none is named
 * @param namedAt when the instance was named, or the node made
 * @param expected what was last asked of the provider for it
 */
public record Berth(String node, String intent, @Nullable String instance, Instant namedAt, Expected expected) {
    /** States that surprise nobody. */
    public enum Expected {
        RUNNING,
        /** Switched off, or on its way there or back. */
        OFF,
        /** The provider was asked to end it. */
        ENDED
    }
}
