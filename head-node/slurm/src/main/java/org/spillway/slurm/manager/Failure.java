package org.spillway.slurm.manager;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.spillway.head.workload.ForeignJob;
import org.spillway.head.workload.ForeignJob.Status;

/**
 * The head's word that a run which ended well for Slurm has failed: what it was to leave is not there. A script's job
 * is no other's to fail; but one that leaves its nodes can be requeued, and a job that waits can be ended. So it counts as
 * cancelled, and what waits for its good end never begins; afterwards it takes an exit code. Pure.
 */
record Failure(int restarts, String why) {
    /** Empty for a job that goes on, or that has ended otherwise anyway. */
    static Optional<Failure> of(ForeignJob job, String why) {
        return job.status() instanceof Status.Ended end
                ? Optional.of(new Failure(end.restarts(), why))
                : Optional.empty();
    }

    /** Whether nothing is to be said any more. */
    boolean isSaid(@Nullable ForeignJob job) {
        return job == null || !(job.status() instanceof Status.Ended end) || end.cancelled();
    }

    /** Whether Slurm still takes the run for one that ended well: its results are on the way home, or its nodes are left. */
    boolean isStill(SlurmJob row) {
        return leaves(row) && row.requeue();
    }

    /** Whether that run is one that Slurm does not take back, as it may not run again. */
    boolean isKept(SlurmJob row) {
        return leaves(row) && !row.requeue();
    }

    private boolean leaves(SlurmJob row) {
        return (row.state().equals("CG") || row.state().equals("SO")) && row.restarts() == restarts;
    }
}
