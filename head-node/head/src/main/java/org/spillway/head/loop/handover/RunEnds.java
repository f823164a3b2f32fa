package org.spillway.head.loop.handover;

import java.time.Instant;
import java.util.List;
import org.spillway.api.JobState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.JobCause;
import org.spillway.head.cause.JobCause.JobFact;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.loop.foreign.ForeignJobs;
import org.spillway.head.loop.jobs.RankEnd;
import org.spillway.head.workload.ForeignJob.Status;
import org.spillway.head.workload.ForeignJob.Status.Place;

/** The next state of a foreign job whose run has ended, by its manager's word and what its nodes have left. Pure. */
final class RunEnds {
    private static final JobRun.Published NOTHING = new JobRun.Published(List.of(), 0, 0);

    private RunEnds() {}

    private static boolean ranHere(JobRecord job, Status.Ended end) {
        return switch (end.place()) {
            case OURS -> true;
            case ELSEWHERE -> false;
            case UNKNOWN -> job.run().attempt() > 0 && job.cause() != JobFact.RUNS_ELSEWHERE;
        };
    }

    /** Whether nothing is brought to it and nothing from it: then its manager's word is the whole of it, whoever attended. */
    private static boolean isWithoutData(JobRecord job) {
        return job.spec().inputs().isEmpty() && job.spec().outputs().isEmpty();
    }

    /**
     * Whether its last run was on nodes of the head's and the head had no part in it: a daemon that remembers a run which a
     * killed manager has forgotten lets the next one pass. Neither its data nor its exit code say anything then.
     */
    static boolean isUnattended(JobRecord job, Status.Ended end) {
        return !job.run().cancelled()
                && !end.cancelled()
                && end.cause().isNone()
                && end.place() == Place.OURS
                && job.run().published() == null
                && !isWithoutData(job)
                && !ForeignJobs.isUnstageable(job)
                && !isRefused(job);
    }

    /**
     * Of the run that was to be attended no results will ever come: a node that says that it never ran there was not asked
     * for its gate, and then its exit code says nothing; or it ended well, and a node has gone with what was left. A good end
     * of a job that has no data of ours is good.
     */
    static boolean isBarren(JobRecord job, Status.Ended end) {
        JobRun run = job.run();
        return !(isWithoutData(job) && end.exitCode() == 0)
                && end.cause().isNone()
                && run.published() == null
                && (run.refusal().isPresent() || (end.exitCode() == 0 && run.isLost()));
    }

    /** The job's nodes heard of its end by its manager's own word, and have left nothing undone. */
    static boolean isWellOver(JobRun run) {
        return run.isOver()
                && !run.isLost()
                && run.ranks().stream().map(JobRun.Rank::end).allMatch(end -> end != null && end.exitCode() == 0);
    }

    private static Cause cancelled(JobRecord job, Status.Ended end) {
        return job.run().cancelled() ? JobFact.CANCELLED_BY_USER : end.cause().or(JobFact.CANCELLED_BY_USER);
    }

    static JobRecord over(JobRecord job, Status.Ended end, Instant now) {
        boolean refused = isRefused(job);
        JobRun closed = refused
                ? job.run().closed(RankEnd.NEVER_STARTED, job.cause(), now)
                : job.run().closed(end.exitCode(), end.cause(), now);
        JobRun run = end.cancelled() && !refused ? closed.withCancelled() : closed;
        JobRecord next = job.with(run);
        JobRun.Published before = run.published();
        if (before == null && run.hasResults()) {
            return next.to(JobState.STAGING_OUT, end.cause(), now);
        }
        if (before != null && !run.cancelled() && !refused) {
            return next.with(run.atHome()).to(JobState.DONE, JobFact.RUN_TWICE, now);
        }
        // Nothing is to be brought home: no director is needed for that.
        JobRun published = run.atHome().withPublished(before == null ? NOTHING : before);
        return next.with(published).to(JobState.STAGING_OUT, end.cause(), now);
    }

    static JobRecord superseded(JobRecord job, Status.Ended end, Instant now) {
        JobRecord none = job.with(job.run().waiting());
        if (!job.run().cancelled() && isRefused(job)) {
            // The head has ended it for that, after its manager had taken it off the node.
            return none.to(JobState.FAILED, job.cause(), now);
        }
        if (job.run().cancelled() || end.cancelled()) {
            return none.to(JobState.CANCELLED, cancelled(job, end), now);
        }
        if (job.run().published() != null) {
            return none.to(JobState.DONE, JobFact.RUN_TWICE, now);
        }
        if (end.exitCode() == 0 && end.place() == Place.ELSEWHERE) {
            return none.to(JobState.DONE, JobFact.LAST_RUN_ELSEWHERE, now);
        }
        if (end.exitCode() == 0 && isWithoutData(job)) {
            return none.to(JobState.DONE, Cause.NONE, now);
        }
        return end.exitCode() == 0 && end.place() == Place.OURS
                ? none.to(
                        JobState.FAILED,
                        new JobCause.RunLost(
                                JobFact.UNATTENDED, end.cause(), job.spec().requeue()),
                        now)
                : none.to(JobState.FAILED, new JobCause.FailedAfterBreak(end.cause(), end.exitCode()), now);
    }

    static JobRecord ended(JobRecord job, Status.Ended end, Instant now) {
        if (ForeignJobs.isUnstageable(job)) {
            return job.to(JobState.FAILED, job.cause(), now);
        }
        if (job.run().cancelled() || end.cancelled()) {
            return job.to(JobState.CANCELLED, cancelled(job, end), now);
        }
        if (job.run().published() != null) {
            return job.to(JobState.DONE, JobFact.RUN_TWICE, now);
        }
        boolean ranHere = ranHere(job, end);
        if (ranHere && end.exitCode() == 0 && isWithoutData(job)) {
            return job.to(JobState.DONE, Cause.NONE, now);
        }
        if (ranHere && end.exitCode() == 0) {
            // A node that was not asked for its gate: what it has left is nobody's.
            Cause what = job.cause() == JobFact.RESULTS_LOST ? JobFact.RESULTS_LOST : JobFact.UNATTENDED;
            return job.to(
                    JobState.FAILED,
                    new JobCause.RunLost(what, end.cause(), job.spec().requeue()),
                    now);
        }
        JobState state = end.exitCode() == 0 ? JobState.DONE : JobState.FAILED;
        return job.to(state, new JobCause.EndedElsewhere(end.cause(), end.exitCode()), now);
    }

    /** The job is ended because a node would not run it. */
    static boolean isRefused(JobRecord job) {
        return job.cause() instanceof JobCause.NodeRefused;
    }
}
