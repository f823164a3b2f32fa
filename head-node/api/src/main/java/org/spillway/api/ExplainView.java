package org.spillway.api;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.spillway.api.form.Describes;

/** Why a job is where it is. */
public record ExplainView(
        String id,

        JobState state,

        @Describes("for its user") String sentence,

        @Describes("of its input that are in its site; 0 when there is none")
        long movedBytes,

        @Describes("of its input; 0 when there is none") long totalBytes,

        @Describes("null when nothing can be said") @Nullable
        Instant expectedStart,

        @Describes("what the sentence begins with, for programs")
        CauseView cause) {
    public ExplainView {
        // An older head does not say it.
        cause = cause == null ? CauseView.NONE : cause;
    }
}
