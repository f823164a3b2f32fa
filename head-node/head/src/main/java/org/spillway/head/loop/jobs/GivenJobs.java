package org.spillway.head.loop.jobs;

import java.time.Instant;
import org.spillway.head.workload.WorkloadView;

/** Jobs that were given to the workload manager and not to the head. */
public interface GivenJobs {
    /** Whether there is or was one. */
    boolean isUsed();

    /** Takes in what the manager says of them. @param releasing no further attempt begins */
    void take(WorkloadView view, boolean releasing, Instant now);
}
