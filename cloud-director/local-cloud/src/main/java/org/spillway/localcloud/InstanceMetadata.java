package org.spillway.localcloud;

import java.time.Instant;
import java.util.Optional;

/** What a provider's machines ask it about themselves, in its own form. */
public interface InstanceMetadata {
    /**
     * That the provider takes the machine back.
     *
     * @param certain else it only may
     * @param at when; for a hint, when it was given
     */
    record Notice(boolean certain, Instant at) {}

    /** @param request of that instance, with the path that it would ask at 169.254.169.254 */
    FrontReply answer(InstanceRecord instance, Optional<Notice> notice, FrontRequest request);
}
