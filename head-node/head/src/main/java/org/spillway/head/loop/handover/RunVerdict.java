package org.spillway.head.loop.handover;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.spillway.head.journal.JobRun;
import org.spillway.head.workload.ForeignJob.Status;

/** The meaning of the manager's word on a foreign job for the attempt that the journal has. Pure. */
public sealed interface RunVerdict {
    /** The attempt is still this run. */
    record GoesOn() implements RunVerdict {}

    /** This run was broken off, and the job waits for the next: nothing of it may be published. */
    record BrokenOff() implements RunVerdict {}

    /** This run is over, and the job with it. */
    record Over(Status.Ended end) implements RunVerdict {}

    /** The job is over by a later run that had no attempt: nothing of this one may be published. */
    record Superseded(Status.Ended end) implements RunVerdict {}

    static RunVerdict of(JobRun run, Status status) {
        JobRun.Foreign known = run.foreign();
        return switch (status) {
            case Status.Held held -> new BrokenOff();
            case Status.Waiting waiting -> new BrokenOff();
            case Status.Allocated allocated ->
                isThat(known, allocated.restarts(), allocated.since()) && isOn(allocated.nodes(), run)
                        ? new GoesOn()
                        : new BrokenOff();
            case Status.Ended end -> isThat(known, end.restarts(), end.since()) ? new Over(end) : new Superseded(end);
        };
    }

    /** A manager that was killed may have forgotten the run, and count the next one as the same. */
    private static boolean isThat(JobRun.@Nullable Foreign known, int restarts, @Nullable Instant since) {
        if (known == null) {
            return restarts == 0;
        }
        boolean sameBeginning =
                known.since() == null || since == null || known.since().equals(since);
        return known.restarts() == restarts && sameBeginning;
    }

    /** A node of ours that is no more may be missing from what the manager says. */
    private static boolean isOn(List<String> nodes, JobRun run) {
        return nodes.isEmpty() || nodes.stream().anyMatch(run::has);
    }
}
