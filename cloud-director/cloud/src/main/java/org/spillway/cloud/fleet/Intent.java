package org.spillway.cloud.fleet;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.LaunchRequest;

/**
 * A decision to launch, with its calls.
 *
 * @param request of the latest attempt; journalled before the call is made
 * @param state what is known of the latest attempt
 * @param calledAt when the latest call was about to be made; null before the first
 * @param instanceIds what the provider has named for it so far, any attempt
 * @param createdAt when it was decided
 */
public record Intent(
        LaunchRequest request, State state, @Nullable Instant calledAt, List<String> instanceIds, Instant createdAt) {
    public Intent {
        instanceIds = List.copyOf(instanceIds);
    }

    public String id() {
        return request.intent();
    }

    public String site() {
        return request.offering().site();
    }

    /** State of an intent's latest call. */
    public enum State {
        /** Decided; no call was made. */
        PLANNED,
        /** The call was about to be made: anything may be true. Kept after a lost answer. */
        CALLED,
        /** Every instance that will ever exist for it is named. Its budget follows the instances. */
        SETTLED,
        /** The provider said, or a proven absence showed, that nothing exists. */
        REFUSED
    }
}
