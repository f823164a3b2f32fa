package org.spillway.slurm.manager;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.spillway.head.workload.ForeignJob;
import org.spillway.head.workload.ForeignJob.Status;

/** A run of a job, as Slurm tells runs apart. @param since null when nobody knows */
record SlurmRun(int restarts, @Nullable Instant since) {
    /** The one that has nodes or has ended; empty while the job waits. */
    static Optional<SlurmRun> of(ForeignJob job) {
        return switch (job.status()) {
            case Status.Allocated run -> Optional.of(new SlurmRun(run.restarts(), run.since()));
            case Status.Ended end -> Optional.of(new SlurmRun(end.restarts(), end.since()));
            case Status.Held held -> Optional.empty();
            case Status.Waiting waiting -> Optional.empty();
        };
    }
}
