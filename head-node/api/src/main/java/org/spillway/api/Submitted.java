package org.spillway.api;

import java.util.List;
import org.spillway.api.form.Describes;

/** An accepted submission. */
public record Submitted(
        @Describes("of the job, or of the array") String id,

        @Describes("the job, or the array's tasks") List<JobView> jobs) {
    public Submitted {
        jobs = List.copyOf(jobs);
    }
}
