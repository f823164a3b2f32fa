package org.spillway.api;

import java.util.List;

/**
 * An accepted submission.
 *
 * @param id of the job, or of the array
 * @param jobs the job, or the array's tasks
 */
public record Submitted(String id, List<JobView> jobs) {
    public Submitted {
        jobs = List.copyOf(jobs);
    }
}
