package org.spillway.head.loop.jobs;

import java.time.Instant;
import java.util.List;
import org.spillway.head.loop.waits.WaitFinding;
import org.spillway.head.workload.WorkloadView;

/** Jobs that were given to the workload manager and not to the head. */
public interface GivenJobs {
    /** Whether there is or was one. */
    boolean isUsed();

    /**
     * Takes in what the manager says of them.
     *
     * @param releasing no further attempt begins
     * @return all that was found out about why they wait
     */
    List<WaitFinding> take(WorkloadView view, boolean releasing, Instant now);

    /** Says to their users why they wait, when the manager was heard in this tick. */
    void tell();
}
