package org.spillway.head.loop;

import java.util.List;
import org.spillway.head.journal.JobRun;
import org.spillway.head.workload.ForeignJob.Status;

/** What the manager's word on a foreign job means for the attempt that the journal has. Pure. */
sealed interface RunVerdict {
    /** It is still this run. */
    record GoesOn() implements RunVerdict {}

    /** This run was broken off, and the job waits for the next: nothing of it may be published. */
    record BrokenOff() implements RunVerdict {}

    /** This run is over, and the job with it. */
    record Over(Status.Ended end) implements RunVerdict {}

    /** The job is over by a later run that had no attempt: nothing of this one may be published. */
    record Superseded(Status.Ended end) implements RunVerdict {}

    static RunVerdict of(JobRun run, Status status) {
        JobRun.Foreign known = run.foreign();
        int restarts = known == null ? 0 : known.restarts();
        return switch (status) {
            case Status.Held held -> new BrokenOff();
            case Status.Waiting waiting -> new BrokenOff();
            case Status.Allocated allocated ->
                allocated.restarts() == restarts && isOn(allocated.nodes(), run) ? new GoesOn() : new BrokenOff();
            case Status.Ended end -> end.restarts() == restarts ? new Over(end) : new Superseded(end);
        };
    }

    /** A node of ours that is no more may be missing from what the manager says. */
    private static boolean isOn(List<String> nodes, JobRun run) {
        return nodes.isEmpty() || nodes.stream().anyMatch(run::has);
    }
}
