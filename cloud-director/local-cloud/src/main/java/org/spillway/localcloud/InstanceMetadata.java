package org.spillway.localcloud;

import java.time.Instant;
import java.util.Optional;

/** Answers of a provider to its machines about themselves, in its own form. */
public interface InstanceMetadata {
    /**
     * A provider's word that it takes the machine back.
     *
     * @param certain else it only may
     * @param at when; for a hint, when it was given
     */
    record Notice(boolean certain, Instant at) {}

    /** @param request of that instance, with the path that it would ask at 169.254.169.254 */
    FrontReply answer(InstanceRecord instance, Optional<Notice> notice, FrontRequest request);
}
