package org.spillway.slurm.manager;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.spillway.head.workload.ForeignJob;
import org.spillway.head.workload.ForeignJob.Status;

/**
 * The head's wish that a job runs again after a run that is over. Pure.
 *
 * @param untold whether Slurm took that run for one that goes on when this was wished
 */
record RunAgain(SlurmRun run, boolean untold) {
    static Optional<RunAgain> of(ForeignJob job) {
        boolean untold = job.status() instanceof Status.Allocated;
        return SlurmRun.of(job).map(run -> new RunAgain(run, untold));
    }

    /** Whether it is still to be said: of an end that Slurm has found by itself since it has not to be told. */
    boolean isStill(@Nullable ForeignJob job) {
        return job != null
                && SlurmRun.of(job).filter(run::equals).isPresent()
                && !(untold && job.status() instanceof Status.Ended);
    }
}
