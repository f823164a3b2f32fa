package org.spillway.api;

import java.util.List;
import org.spillway.api.form.Bounds;
import org.spillway.api.form.Describes;
import org.spillway.api.form.Holds;
import org.spillway.api.form.Matches;
import org.spillway.api.form.Usual;

/** Files that are to be in a site ahead of any job. */
public record StageOrder(
        @Matches(value = "[a-z0-9][a-z0-9-]{0,39}", allowed = "the name of a site") @Describes("where they are to be")
        String site,

        @Matches(value = JobSubmission.ABSOLUTE, allowed = "an absolute path of a file, without . and ..")
        @Describes("absolute path of the folder that they were named from")
        String folder,

        @Holds(most = 100) @Describes("as a job names them, and read as the caller")
        List<JobSubmission.Input> inputs,

        @Usual("0")
        @Bounds(min = 0, max = JobSubmission.YEAR_SECONDS)
        @Describes("for so long they stay, from when they are there; 0 for an hour, or less where less is allowed")
        long keepSeconds) {
    public StageOrder {
        inputs = List.copyOf(inputs);
    }
}
