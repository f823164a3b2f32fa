package org.spillway.cloud.fleet;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.Instance;

/**
 * A launch call without a known end.
 *
 * @param unknownSince when the head stopped waiting for the answer; null while it still waits
 * @param state tag of the head that called, which its instances bear: of two heads with one past both may give a name;
 *     empty where it is not known
 */
public record OpenCall(String intent, @Nullable Instant unknownSince, String state) {
    /** Whether it may have made that instance. */
    boolean mayHaveMade(Instance instance) {
        String bought = instance.tags().getOrDefault(Instance.TAG_STATE, "");
        return intent.equals(instance.intent()) && (bought.isEmpty() || state.isEmpty() || bought.equals(state));
    }
}
