package org.spillway.api;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Why a job is where it is.
 *
 * @param sentence for its user
 * @param movedBytes of its input that are in its site, {@code totalBytes} of all; both 0 when there is none
 * @param expectedStart null when nothing can be said
 * @param cause what the sentence begins with, for programs
 */
public record ExplainView(
        String id,
        JobState state,
        String sentence,
        long movedBytes,
        long totalBytes,
        @Nullable Instant expectedStart,
        CauseView cause) {
    public ExplainView {
        // An older head does not say it.
        cause = cause == null ? CauseView.NONE : cause;
    }
}
