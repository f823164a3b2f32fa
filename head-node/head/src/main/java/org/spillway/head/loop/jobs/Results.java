package org.spillway.head.loop.jobs;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.JobState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.JobCause;
import org.spillway.head.cause.JobCause.JobFact;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.loop.state.JobMemory;
import org.spillway.head.loop.state.Purse;
import org.spillway.head.loop.state.SiteState;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.head.loop.waits.Finder;
import org.spillway.head.loop.waits.WaitFinding;
import org.spillway.head.past.AttemptNumbers;

/** From the end of an attempt to its results in their places. */
public final class Results {
    private static final Logger LOG = LoggerFactory.getLogger(Results.class);
    private final World world;
    private final Sites sites;
    private final Purse purse;
    private final JobMemory memory;
    private final Supplier<Instant> clock;
    private final Consumer<WaitFinding> later;
    private final Homeward homeward;
    private final StagingTurns bringing;
    /** Whether something of a job that ran is on its way still. */
    private final Predicate<String> coming;

    /** @param later takes what is found out when a copy has ended */
    Results(
            World world,
            Sites sites,
            Purse purse,
            JobMemory memory,
            Supplier<Instant> clock,
            StagingTurns bringing,
            Predicate<String> coming,
            Consumer<WaitFinding> later) {
        this.world = world;
        this.sites = sites;
        this.purse = purse;
        this.memory = memory;
        this.clock = clock;
        this.later = later;
        this.bringing = bringing;
        this.coming = coming;
        this.homeward = new Homeward(memory.failing());
    }

    /** First all results home, hidden; then that is written down; then they are put in their places. */
    void advance(JobRecord job, List<WaitFinding> found, Instant now) {
        if (job.run().published() != null) {
            // The job waits for its manager's last word.
            return;
        }
        if (homeward.isGivenUp(job)) {
            sameAttempt(job, homeward::giveUp);
            return;
        }
        if (coming.test(job.id())) {
            // Outputs that are on their way since before its end are older than its results.
            return;
        }
        if (job.run().home()) {
            publish(job, now);
            return;
        }
        SiteState site = sites.of(job.run().site());
        String store = sites.store(site);
        Optional<NodeRecord> director = sites.readyDirector(site.plan.name());
        if (store == null || director.isEmpty()) {
            found.add(new WaitFinding(job.id(), Finder.STAGING, new WaitCause.ResultsAwaitDirector(site.plan.name())));
            return;
        }
        if (!isHeldIn(job, store)) {
            world.journal().commit(now, again(job, JobFact.RESULTS_LOST, now));
            return;
        }
        String key = "stage-out:" + job.id();
        if (world.ports().effects().isUnderWay(key)
                || !bringing.mayBegin(job.spec().uid(), site.plan.name())
                || !world.calls().mayAskAgain(key, now, homeward.pause(job.id()))) {
            return;
        }
        bringing.begun(key, job.spec().uid(), site.plan.name());
        DirectorTarget target = Sites.target(director.get());
        world.ports()
                .effects()
                .begin(
                        key,
                        () -> {
                            world.ports()
                                    .stager()
                                    .bringHome(
                                            target,
                                            job,
                                            bytes -> memory.transfers().movedOut(job.id(), bytes));
                            return true;
                        },
                        done -> {
                            bringing.ended(key);
                            memory.failing().stageOutAnew(job.id());
                            ofAttempt(job)
                                    .ifPresent(known -> world.journal()
                                            .commit(clock.get(), purse.egress().brought(known, clock.get())));
                        },
                        failure -> {
                            bringing.ended(key);
                            wait(job, failure);
                        });
    }

    private static boolean isHeldIn(JobRecord job, String store) {
        return job.run().ranks().stream()
                .map(JobRun.Rank::end)
                .allMatch(end ->
                        end == null || end.results() == null || end.store().equals(store));
    }

    private void publish(JobRecord job, Instant now) {
        String key = "publish:" + job.id();
        if (world.calls().mayAskAgain(key, now, homeward.pause(job.id()))) {
            world.ports()
                    .effects()
                    .begin(
                            key,
                            () -> world.ports().stager().publish(job),
                            published -> published(job, published),
                            failure -> wait(job, failure));
        }
    }

    private void wait(JobRecord job, Exception failure) {
        later.accept(new WaitFinding(
                job.id(), Finder.COPY, new WaitCause.ResultsNotHome(String.valueOf(failure.getMessage()))));
        sameAttempt(job, (found, at) -> homeward.failed(found, failure, at));
    }

    private void published(JobRecord job, JobRun.Published what) {
        if (!what.unplaced().isEmpty()) {
            later.accept(new WaitFinding(
                    job.id(),
                    Finder.COPY,
                    new WaitCause.OutputsNotInPlace(
                            what.unplaced().stream().map(JobRun.Unplaced::cause).toList())));
        }
        sameAttempt(job, (found, at) -> homeward.published(found, what, at));
    }

    public static JobState verdict(JobRecord job) {
        if (job.run().cancelled()) {
            return JobState.CANCELLED;
        }
        Integer code = job.run().exitCode();
        return code != null
                        && code == 0
                        && strictlyMissing(job).isEmpty()
                        && unsent(job).isEmpty()
                ? JobState.DONE
                : JobState.FAILED;
    }

    /** A part that ended well and whose results never came to the staging space: nothing is known of its outputs. */
    private static Optional<JobRun.End> unsent(JobRecord job) {
        return job.spec().outputs().isEmpty()
                ? Optional.empty()
                : job.run().ranks().stream()
                        .flatMap(rank -> Optional.ofNullable(rank.end()).stream())
                        .filter(end -> end.exitCode() == 0 && end.results() == null)
                        .findFirst();
    }

    public static Cause cause(JobRecord job) {
        if (job.run().cancelled()) {
            return JobFact.CANCELLED_BY_USER;
        }
        if (job.run().isLost()) {
            return JobFact.NODE_LOST;
        }
        Optional<JobRun.End> failed = job.run().firstFailure();
        if (failed.isPresent()) {
            return new JobCause.ScriptFailed(failed.get().cause(), failed.get().exitCode());
        }
        Optional<JobRun.End> unsent = unsent(job);
        if (unsent.isPresent()) {
            return new JobCause.ResultsNotSent(unsent.get().cause());
        }
        Cause found = ofOutputs(job);
        return job.run().ranks().stream()
                .flatMap(rank -> Optional.ofNullable(rank.end()).stream())
                .map(JobRun.End::cause)
                .filter(said -> !said.isNone())
                .<Cause>map(said -> new JobCause.NodeNoted(said, found))
                .findFirst()
                .orElse(found);
    }

    private static Cause ofOutputs(JobRecord job) {
        List<String> missing = strictlyMissing(job);
        if (!missing.isEmpty()) {
            return new JobCause.OutputMissing(missing, true);
        }
        JobRun.Published published = job.run().published();
        if (published != null && !published.unplaced().isEmpty()) {
            return Homeward.unplaced(published);
        }
        return published == null || published.missing().isEmpty()
                ? Cause.NONE
                : new JobCause.OutputMissing(published.missing(), false);
    }

    private static List<String> strictlyMissing(JobRecord job) {
        JobRun.Published published = job.run().published();
        return published == null
                ? List.of()
                : job.spec().outputs().stream()
                        .filter(output -> output.strict() && published.missing().contains(output.pattern()))
                        .map(output -> output.pattern())
                        .toList();
    }

    /** The next state of a job whose attempt came to nothing. */
    JobRecord again(JobRecord job, Cause why, Instant now) {
        if (job.run().cancelled()) {
            return job.to(JobState.CANCELLED, JobFact.CANCELLED_BY_USER, now);
        }
        if (!job.spec().requeue()) {
            return job.to(JobState.FAILED, new JobCause.NotRequeued(why), now);
        }
        boolean spent = AfterNotice.lost(job) >= world.settings().maxAttempts()
                || job.run().timesTakenBack() >= AfterNotice.MOST_TIMES;
        return spent
                ? job.to(
                        JobState.FAILED,
                        new JobCause.GivenUp(why, AttemptNumbers.made(job.run().attempt())),
                        now)
                : job.with(job.run().waiting()).to(JobState.QUEUED, why, now);
    }

    /** Nothing is kept of a job that has ended: neither here nor, if its director can be reached, in its site. */
    void forget(JobRecord job) {
        memory.forget(job.id());
        world.calls().forget(Checkpoints.key(job));
        world.calls().forget("stage-out:" + job.id());
        world.calls().forget("publish:" + job.id());
        for (String site : sites.names()) {
            world.calls().forget(StagingTurns.stageInKey(job.id(), site));
        }
        JobRun.Published published = job.run().published();
        boolean unpublished =
                job.run().home() && (published == null || !published.unplaced().isEmpty());
        // A job that waited again may have a checkpoint at home.
        if ((!job.run().ranks().isEmpty() || job.run().reclaimed() != null) && !unpublished) {
            removeBundles(job);
        }
        if (!job.run().site().isEmpty()) {
            memory.transfers().leftBehind(job.id(), job.run().site());
            if (job.spec().submittedAt().isBefore(world.startedAt())) {
                // Where it was bound in an earlier life of this head is not known.
                job.spec().sites().forEach(site -> memory.transfers().leftBehind(job.id(), site));
            }
        }
    }

    void removeBundles(JobRecord job) {
        world.ports()
                .effects()
                .begin(
                        "forget:" + job.id(),
                        () -> {
                            world.ports().stager().forget(job);
                            return true;
                        },
                        done -> {},
                        failure -> LOG.warn("job {}: its hidden bundle stays: {}", job.id(), failure.toString()));
    }

    private interface Step {
        JobRecord from(JobRecord found, Instant at);
    }

    private Optional<JobRecord> ofAttempt(JobRecord job) {
        return world.journal()
                .job(job.id())
                .filter(found -> found.jobState() == JobState.STAGING_OUT
                        && found.run().attempt() == job.run().attempt());
    }

    /** An effect of an attempt that was given up meanwhile says nothing about the next one. */
    private void sameAttempt(JobRecord job, Step step) {
        Instant now = clock.get();
        ofAttempt(job).ifPresent(found -> {
            JobRecord next = step.from(found, now);
            if (!next.equals(found)) {
                world.journal().commit(now, next);
            }
            if (!next.isLive()) {
                forget(next);
            }
        });
    }
}
