package org.spillway.head.loop.handover;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.JobState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.JobCause;
import org.spillway.head.cause.JobCause.JobFact;
import org.spillway.head.cause.Told;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.loop.foreign.ForeignJobs;
import org.spillway.head.loop.jobs.Results;
import org.spillway.head.loop.state.JobMemory;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.head.loop.waits.Finder;
import org.spillway.head.loop.waits.WaitFinding;
import org.spillway.head.past.AttemptNumbers;
import org.spillway.head.workload.ForeignJob;
import org.spillway.head.workload.ForeignJob.Status;

/**
 * Takes foreign jobs where the workload manager's word on them leads. The manager decides on when they wait, where they
 * run and how they end; the head on all that lies between.
 */
public final class Following {
    private static final Logger LOG = LoggerFactory.getLogger(Following.class);

    /** How long the manager may take to say that it had broken a run off, and a node to say that it refuses its part. */
    private static final Duration WORD_OF_MANAGER = Duration.ofSeconds(5);

    /** A manager that asks of an input that cannot be staged does so sooner than this. */
    private static final Duration ASKED_WITHIN = Duration.ofMinutes(2);

    private static final Duration WORD_OF_NODE = Duration.ofSeconds(10);
    /** Runs of a job in a row that nobody attended, before it is given up. */
    private static final int MOST_UNATTENDED = 3;

    /** A manager that has not taken a failure by now will not take it: nodes are held up no longer. */
    private static final Duration DENIED_WITHIN = Duration.ofSeconds(10);

    /** Results that find no place at home by then do not hold up their nodes any longer. */
    private static final Duration PLACED_WITHIN = Duration.ofMinutes(5);

    /** A manager that has not run a job again by now has forgotten it, or may not. */
    private static final Duration RUN_AGAIN_WITHIN = Duration.ofMinutes(5);

    private final World world;
    private final Sites sites;
    private final JobMemory memory;
    private final ForeignJobs foreign;
    private final Predicate<JobRun> over;
    private final BiFunction<JobRun, Status, RunVerdict> runs;

    public Following(
            World world,
            Sites sites,
            JobMemory memory,
            ForeignJobs foreign,
            Predicate<JobRun> over,
            BiFunction<JobRun, Status, RunVerdict> runs) {
        this.world = world;
        this.sites = sites;
        this.memory = memory;
        this.foreign = foreign;
        this.over = over;
        this.runs = runs;
    }

    /** Adds the steps that follow for a live foreign job, to be committed together with those of others. */
    void follow(JobRecord job, List<JobRecord> steps, List<WaitFinding> found, Instant now) {
        Status status = foreign.status(job, now);
        if (status == null) {
            return;
        }
        switch (job.jobState()) {
            case SUBMITTED, HELD, STAGING_IN, QUEUED -> waiting(job, status, steps, found, now);
            case RUNNING -> running(job, status, steps, found, now);
            case STAGING_OUT -> stagingOut(job, status, steps, now);
            case DONE, FAILED, CANCELLED -> {}
        }
    }

    /**
     * The job's results are published at once, but it is over only when its manager cannot forget that any more: one
     * that is killed may run it again. Then it does so as a further attempt, of which nothing is published.
     */
    private void stagingOut(JobRecord job, Status status, List<JobRecord> steps, Instant now) {
        left(job);
        if (!isPlaced(job, now) || isDenied(job, status, now)) {
            return;
        }
        boolean late = now.isAfter(foreign.saidSince(job, now).plus(WORD_OF_MANAGER));
        if (status instanceof Status.Ended || late) {
            foreign.letGo(job);
        }
        if (job.run().published() == null) {
            return;
        }
        if (status instanceof Status.Ended end) {
            if (end.lasting()) {
                steps.add(job.to(Results.verdict(job), Results.cause(job), now));
            }
        } else if (status instanceof Status.Allocated allocated && isSame(job.run(), allocated)) {
            if (late) {
                world.ports()
                        .workload()
                        .foreignQueue()
                        .ifPresent(its -> its.again(job.spec().foreign(), JobFact.FORGOTTEN.text()));
            }
        } else if (late) {
            LOG.warn("job {}: its manager has forgotten that it ended, and runs it once more", job.id());
            steps.add(job.with(job.run().waiting()).to(JobState.QUEUED, JobFact.FORGOTTEN, now));
        }
    }

    /** Whether the results are in their places, or find none: then they wait in the region or at home, and no node with them. */
    private static boolean isPlaced(JobRecord job, Instant now) {
        JobRun.Homeward trouble = job.run().homeward();
        return job.run().published() != null
                || (trouble != null && now.isAfter(trouble.failingSince().plus(PLACED_WITHIN)));
    }

    /**
     * Whether the manager is to hear that the job has failed, which takes it for one that ended well: who waits for its good
     * end there must not begin.
     */
    private boolean isDenied(JobRecord job, Status status, Instant now) {
        boolean good = status instanceof Status.Ended end && end.exitCode() == 0 && !end.cancelled();
        boolean unplaced = job.run().published() == null;
        if (!good || !(unplaced || Results.verdict(job) == JobState.FAILED)) {
            return false;
        }
        end(job, unplaced ? new JobCause.Unpublished("they find no place at home", "") : Results.cause(job));
        return now.isBefore(foreign.denied(job, now).plus(DENIED_WITHIN));
    }

    /** The end of a run that the head has no results of; its manager hears first of one that counts as well ended there. */
    private void conclude(JobRecord job, JobRecord next, Status.Ended end, List<JobRecord> steps, Instant now) {
        if (next.jobState() == JobState.FAILED && end.exitCode() == 0 && !end.cancelled()) {
            end(job, next.cause());
            if (now.isBefore(foreign.denied(job, now).plus(DENIED_WITHIN))) {
                return;
            }
        }
        steps.add(next);
    }

    private void left(JobRecord job) {
        JobRun.Foreign run = job.run().foreign();
        if (run != null && job.run().isOver()) {
            world.ports()
                    .workload()
                    .foreignQueue()
                    .ifPresent(its -> its.left(job.spec().foreign(), run.restarts(), run.since()));
        }
    }

    private boolean isSame(JobRun run, Status.Allocated allocated) {
        return runs.apply(run, allocated) instanceof RunVerdict.GoesOn;
    }

    private boolean isForgotten(JobRecord job, Instant now) {
        return RunEnds.isWellOver(job.run())
                && now.isAfter(foreign.heardOver(job, now).plus(ForeignJobs.ENDING));
    }

    private void waiting(JobRecord before, Status status, List<JobRecord> steps, List<WaitFinding> found, Instant now) {
        JobRecord job = status instanceof Status.Ended ? before : current(before, steps, now);
        if (job.run().cancelled() && !(status instanceof Status.Ended)) {
            end(job, JobFact.CANCELLED_BY_USER);
            return;
        }
        switch (status) {
            case Status.Ended end -> {
                // A run that somebody has ended is ended again if the manager forgets it.
                boolean sure = end.lasting() || end.cancelled();
                if (sure && !(RunEnds.isUnattended(job, end) && runsAgain(job, end, JobFact.UNATTENDED, now))) {
                    foreign.notHeldThere(job.id());
                    conclude(job, RunEnds.ended(job, end, now), end, steps, now);
                }
            }
            case Status.Held(String reason) -> {
                if (ForeignJobs.isUnstageable(job)) {
                    foreign.heldThere(job.id());
                } else if (job.jobState() != JobState.HELD) {
                    found.add(WaitFinding.nothing(job.id(), Finder.MANAGER));
                    steps.add(job.to(JobState.HELD, Told.of(reason), now));
                } else {
                    found.add(new WaitFinding(job.id(), Finder.MANAGER, Told.of(reason)));
                }
            }
            case Status.Waiting waiting -> goOn(job, steps, found, now);
            case Status.Allocated(List<String> nodes, int restarts, Instant since) -> {
                if (nodes.isEmpty()) {
                    runsElsewhere(job, steps, found, now);
                } else if (ForeignJobs.isUnstageable(job)) {
                    end(job, job.cause());
                } else {
                    goOn(job, steps, found, now);
                }
            }
        }
    }

    /** With what its user has changed meanwhile. Once it is staged, its data are what they were. */
    private JobRecord current(JobRecord job, List<JobRecord> steps, Instant now) {
        ForeignJob said = foreign.said(job.spec().foreign());
        JobSpec spec = said == null ? null : Adopting.spec(sites, said);
        if (spec == null || said == null) {
            return job;
        }
        JobSpec old = job.spec();
        boolean brings = job.run().attempt() == 0
                && job.run().staged() == null
                && !(spec.inputs().isEmpty() && spec.outputs().isEmpty());
        JobSpec next = old.with(draft -> {
            draft.name = spec.name();
            draft.queue = spec.queue();
            draft.sites = spec.sites();
            draft.need = spec.need();
            draft.requeue = spec.requeue();
            draft.data = brings ? spec.data() : old.data();
            draft.terms = terms(old.terms(), spec.terms());
        });
        if (next.equals(old)) {
            return job;
        }
        JobRecord changed = job.with(next);
        String site = job.run().site();
        boolean dataChanged = !next.data().equals(old.data());
        if (!site.isEmpty() && (dataChanged || !next.sites().contains(site))) {
            changed = unbound(changed, JobFact.CHANGED_BY_USER, now);
        }
        steps.add(changed);
        return changed;
    }

    /** The job's deadline is asked for once only. */
    private static JobSpec.Terms terms(JobSpec.Terms old, JobSpec.Terms said) {
        return new JobSpec.Terms(
                said.account(), said.deadline() == null ? old.deadline() : said.deadline(), said.licences());
    }

    private JobRecord unbound(JobRecord job, Cause why, Instant now) {
        memory.transfers().leftBehind(job.id(), job.run().site());
        memory.transfers().unbound(job.id());
        return job.with(job.run().at("")).to(JobState.HELD, why, now);
    }

    /** Nothing is kept for it while it does; should it be broken off there, it waits again. */
    private void runsElsewhere(JobRecord job, List<JobRecord> steps, List<WaitFinding> found, Instant now) {
        Cause why = JobFact.RUNS_ELSEWHERE;
        found.add(WaitFinding.nothing(job.id(), Finder.MANAGER));
        if (!job.run().site().isEmpty()) {
            steps.add(unbound(job, why, now));
        } else if (job.jobState() != JobState.HELD || !job.cause().equals(why)) {
            steps.add(job.to(JobState.HELD, why, now));
        }
    }

    /** A job that was held and has its site goes on there; one that has none is placed like any other. */
    private void goOn(JobRecord job, List<JobRecord> steps, List<WaitFinding> found, Instant now) {
        if (job.jobState() != JobState.HELD) {
            return;
        }
        if (ForeignJobs.isUnstageable(job)) {
            // A manager that had its input verified once does not ask again, and so does not hold it: a region may have
            // gone since.
            boolean unasked = now.isAfter(job.since().plus(ASKED_WITHIN));
            if (foreign.notHeldThere(job.id()) || unasked) {
                memory.failing().stageInAnew(job.id());
                steps.add(job.to(JobState.HELD, JobFact.STAGED_AGAIN, now));
            }
            return;
        }
        if (!job.run().site().isEmpty()) {
            found.add(WaitFinding.nothing(job.id(), Finder.MANAGER));
            JobRecord staging = job.to(JobState.STAGING_IN, Cause.NONE, now);
            steps.add(staging);
            if (job.run().staged() != null) {
                steps.add(staging.to(JobState.QUEUED, Cause.NONE, now));
            }
        }
    }

    /**
     * Whether nothing is concluded from the end of its attempt yet. Good results are published at once; all others wait
     * until its manager cannot forget that end any more: a further run may do better, and only one is published.
     */
    private boolean isLeft(JobRecord job, Status.Ended end, Instant now) {
        if (job.run().cancelled() || end.cancelled() || RunEnds.isRefused(job)) {
            return false;
        }
        boolean barren = RunEnds.isBarren(job, end);
        boolean good = end.exitCode() == 0 && job.run().published() == null && !barren;
        if (barren) {
            foreign.letGo(job);
        }
        return !good && (!end.lasting() || (barren && runsAgain(job, end, JobFact.BARREN, now)));
    }

    /** Whether its manager is to run it again; what is asked of it is asked until it has. */
    private boolean runsAgain(JobRecord job, Status.Ended end, Cause why, Instant now) {
        JobRun.Foreign known = job.run().foreign();
        int unattended = end.restarts() - (known == null ? 0 : known.restarts());
        boolean may = job.spec().requeue()
                && unattended < MOST_UNATTENDED
                && AttemptNumbers.made(
                                job.run().attempt(),
                                world.journal().store().standing().epoch())
                        < world.settings().maxAttempts()
                && now.isBefore(foreign.askedAgain(job, end.restarts(), now).plus(RUN_AGAIN_WITHIN));
        if (may) {
            world.ports()
                    .workload()
                    .foreignQueue()
                    .ifPresent(its -> its.again(job.spec().foreign(), why.text()));
        }
        return may;
    }

    private void running(JobRecord job, Status status, List<JobRecord> steps, List<WaitFinding> found, Instant now) {
        left(job);
        switch (runs.apply(job.run(), status)) {
            case RunVerdict.GoesOn goesOn -> {
                if (job.run().cancelled()) {
                    end(job, JobFact.CANCELLED_BY_USER);
                } else if (isRefused(job, now)) {
                    endRefused(job, steps, now);
                } else if (isForgotten(job, now)) {
                    world.ports()
                            .workload()
                            .foreignQueue()
                            .ifPresent(its -> its.again(job.spec().foreign(), JobFact.UNTOLD.text()));
                }
            }
            case RunVerdict.BrokenOff brokenOff -> brokenOff(job, status, steps, found, now);
            case RunVerdict.Over(Status.Ended end) -> {
                if (over.test(job.run()) && !isLeft(job, end, now)) {
                    steps.add(RunEnds.over(job, end, now));
                }
            }
            case RunVerdict.Superseded(Status.Ended end) -> {
                boolean sure = end.lasting() || end.cancelled();
                if (sure && !(RunEnds.isUnattended(job, end) && runsAgain(job, end, JobFact.UNATTENDED, now))) {
                    conclude(job, RunEnds.superseded(job, end, now), end, steps, now);
                }
            }
        }
    }

    /**
     * A node refuses as well what the manager has taken off it meanwhile; so nothing is concluded before the manager has
     * had the time to say that.
     */
    private static boolean isRefused(JobRecord job, Instant now) {
        return job.run().ranks().stream()
                .map(JobRun.Rank::end)
                .anyMatch(end -> end != null
                        && end.refusal().isPresent()
                        && now.isAfter(end.ended().plus(WORD_OF_MANAGER)));
    }

    /** Why it is ended is written down first: else a head that was killed would take it for the user's wish. */
    private void endRefused(JobRecord job, List<JobRecord> steps, Instant now) {
        Cause why = job.run().refusal().<Cause>map(refused -> refused).orElse(new JobCause.NodeRefused(""));
        if (!job.cause().equals(why)) {
            steps.add(job.to(JobState.RUNNING, why, now));
        } else {
            end(job, why);
        }
    }

    private void brokenOff(JobRecord job, Status status, List<JobRecord> steps, List<WaitFinding> found, Instant now) {
        if (job.run().cancelled()) {
            end(job, JobFact.CANCELLED_BY_USER);
            return;
        }
        if (status instanceof Status.Held) {
            // A manager holds what a node has refused, and may say so before the node's word is heard.
            boolean refused = job.run().refusal().isPresent();
            boolean late = now.isAfter(foreign.saidSince(job, now).plus(WORD_OF_NODE));
            if (refused) {
                endRefused(job, steps, now);
                return;
            }
            if (!over.test(job.run()) && !late) {
                return;
            }
        }
        LOG.info("job {}: its run was broken off: {}", job.id(), status);
        found.add(WaitFinding.nothing(job.id(), Finder.MANAGER));
        steps.add(job.with(job.run().waiting()).to(JobState.QUEUED, JobFact.BROKEN_OFF, now));
    }

    private void end(JobRecord job, Cause why) {
        world.ports()
                .workload()
                .foreignQueue()
                .ifPresent(its -> its.end(job.spec().foreign(), why.text()));
    }
}
