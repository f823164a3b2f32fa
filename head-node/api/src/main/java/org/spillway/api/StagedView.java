package org.spillway.api;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.spillway.api.form.Describes;
import org.spillway.api.form.OneOf;

/** Files of the caller in a site, or on their way there. */
public record StagedView(
        @Describes("of what was brought ahead; of a job's input that job's")
        String id,

        String site,

        @Describes("at home, as they were named") List<String> paths,

        @Describes(
                "WAITING for its site or on its way, THERE, GOING, FAILED; JOB for what a job has that has not ended")
        @OneOf({"WAITING", "THERE", "GOING", "FAILED", "JOB"})
        String state,

        @Describes("why it is so; empty when nothing needs saying")
        String message,

        @Describes("0 before anybody has looked") int files,

        @Describes("of all of it, as a tar; 0 before anybody has looked")
        long bytes,

        MovedView moved,

        @Describes("until when it is kept; null before it is there, and for what a job has") @Nullable
        Instant keptUntil,

        @Describes("when a job last had the same; null for never") @Nullable
        Instant usedAt) {
    public StagedView {
        paths = List.copyOf(paths);
    }

    public record MovedView(
            @Describes("that are in the site so far") long bytes,

            @Describes("over the link; 0 before all is there")
            long sentBytes,

            @Describes("that the site had before; 0 before all is there")
            long savedBytes,

            @Describes("just now; 0 where nothing moves") long bytesPerSecond,

            @Describes("at that rate; null when it is not known") @Nullable
            Long secondsLeft) {}
}
