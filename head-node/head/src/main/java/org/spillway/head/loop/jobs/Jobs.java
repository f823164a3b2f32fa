package org.spillway.head.loop.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
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
import org.spillway.head.loop.foreign.ForeignJobs;
import org.spillway.head.loop.state.Context;
import org.spillway.head.loop.state.SiteState;
import org.spillway.stage.Checksum;
import org.spillway.stage.worker.FileRefused;

/** Takes each job one step further when what it waits for is there. */
public final class Jobs {
    private static final Logger LOG = LoggerFactory.getLogger(Jobs.class);
    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(2);
    private static final Duration STAGE_IN_TRIED = Duration.ofMinutes(30);

    private final Context context;
    private final Supplier<Instant> clock;
    private final Results results;
    private final Attempts attempts;
    private final GivenJobs given;
    private final Placing placing;
    private final StagedData stagedData;
    private final ArrayInputs arrays;
    private final StagingQuota quota;
    private final StagingTurns staging = new StagingTurns();

    public Jobs(Context context, Supplier<Instant> clock, Predicate<JobRun> over, Function<Attempts, GivenJobs> given) {
        this.context = context;
        this.clock = clock;
        this.results = new Results(context, clock);
        this.attempts = new Attempts(context, results, over);
        this.given = given.apply(attempts);
        this.placing = new Placing(context);
        this.stagedData = new StagedData(context);
        this.arrays = new ArrayInputs(context);
        this.quota = new StagingQuota(context);
    }

    public Placing placing() {
        return placing;
    }

    public void collectEnded(Instant now) {
        attempts.collectEnded(now);
    }

    public JobRecord lost(JobRecord job, String node, Instant now) {
        return attempts.lost(job, node, now);
    }

    /** A step that {@link #lost} gave is durable. */
    public void committed(JobRecord job) {
        attempts.committed(job);
    }

    /** @param releasing nothing new begins: what runs is ended, what has ended comes home */
    public void advance(Instant now, boolean releasing) {
        if (!releasing) {
            placing.advance(now).forEach(results::forget);
        }
        stagedData.advance(now);
        arrays.begin();
        List<JobRecord> steps = new ArrayList<>();
        List.copyOf(context.journal.jobs()).forEach(job -> advance(job, steps, now));
        write(steps, now);
        if (releasing) {
            attempts.listen(given, now);
        } else {
            attempts.allocate(given, now);
        }
    }

    /** Steps that nothing in the world hangs on are one write, however many: a thousand may come in one tick. */
    private void write(List<JobRecord> steps, Instant now) {
        context.journal.commit(now, steps);
        steps.stream().filter(job -> !job.isLive()).forEach(ended -> {
            attempts.withdraw(ended.id());
            results.forget(ended);
        });
    }

    private void advance(JobRecord job, List<JobRecord> steps, Instant now) {
        switch (job.jobState()) {
            case SUBMITTED, HELD, STAGING_IN, QUEUED -> {
                if (job.run().cancelled() && ForeignJobs.isForeign(job)) {
                    // The job ends when its manager says so: until then it could still be given nodes.
                    return;
                } else if (job.run().cancelled()) {
                    steps.add(job.to(JobState.CANCELLED, JobFact.CANCELLED_BY_USER, now));
                } else {
                    waiting(job, steps, now);
                }
            }
            case RUNNING -> attempts.strand(job, now);
            case STAGING_OUT -> results.advance(job, now);
            case DONE, FAILED, CANCELLED -> {}
        }
    }

    private void waiting(JobRecord job, List<JobRecord> steps, Instant now) {
        switch (job.jobState()) {
            case STAGING_IN -> {
                if (job.spec().inputs().isEmpty()) {
                    steps.add(job.to(JobState.QUEUED, Cause.NONE, now));
                } else {
                    stageIn(job, context.site(job.run().site()), now);
                }
            }
            case QUEUED -> {
                String store = context.store(context.site(job.run().site()));
                JobRun.Staged staged = job.run().staged();
                if (staged != null && staged.bundle() != null && store != null && !store.equals(staged.store())) {
                    steps.add(job.to(JobState.STAGING_IN, JobFact.INPUT_LOST, now));
                }
            }
            default -> {}
        }
    }

    private void stageIn(JobRecord job, SiteState site, Instant now) {
        String store = context.store(site);
        Optional<NodeRecord> director = context.readyDirector(site.plan.name());
        if (store == null || director.isEmpty()) {
            context.waits.put(job.id(), new WaitCause.DirectorNotReady(site.plan.name(), site.ailment()));
            return;
        }
        String key = StagingTurns.stageInKey(job.id(), site.plan.name());
        if (context.ports.effects().isUnderWay(StagedData.key(job.id(), site.plan.name()))
                || context.ports.effects().isUnderWay(key)) {
            return;
        }
        if (arrays.isOnTheWay(job)) {
            context.waits.put(job.id(), new WaitCause.InputOnTheWay(site.plan.name(), true));
            return;
        }
        if (!staging.mayBegin(job.spec().uid(), site.plan.name())) {
            context.waits.put(job.id(), new WaitCause.InputInTurn(site.plan.name()));
            return;
        }
        if (!context.mayAskAgain(key, now, BETWEEN_TRIES)) {
            return;
        }
        JobRecord alike = arrays.alike(job, store);
        // A bundle that is there already takes no more room.
        switch (alike == null ? quota.judge(job) : new StagingQuota.Verdict.Room()) {
            case StagingQuota.Verdict.Room room -> {}
            case StagingQuota.Verdict.Wait(Cause why) -> {
                context.waits.put(job.id(), why);
                context.calls.forget(key);
                return;
            }
            case StagingQuota.Verdict.TooMuch(String sentence) -> {
                stagingFailed(job, context.transfers.boundAt(job.id()), new FileRefused(sentence));
                return;
            }
        }
        staging.begun(key, job.spec().uid(), site.plan.name());
        arrays.begun(key, job);
        context.waits.put(job.id(), new WaitCause.InputOnTheWay(site.plan.name(), false));
        DirectorTarget target = Context.target(director.get());
        long before = context.transfers.movedIn(job.id());
        Instant bound = context.transfers.boundAt(job.id());
        context.ports
                .effects()
                .begin(
                        key,
                        () -> context.ports.stager().stageIn(target, job, store, alike, bytes -> {
                            if (!context.transfers.isBoundAsOf(job.id(), bound)) {
                                // Ends the copy: nobody wants it there any more, and its user has one worker.
                                throw new IllegalStateException("the job was bound anew");
                            }
                            context.transfers.movedIn(job.id(), bytes);
                        }),
                        staged -> {
                            staging.ended(key);
                            arrays.ended(key);
                            context.waits.remove(job.id());
                            Checksum bundle = staged.bundle();
                            // A bundle that another task has brought says nothing of the link.
                            if (bundle != null && alike == null) {
                                context.transfers.measured(
                                        site.plan.name(), bundle.bytes() - before, Duration.between(now, clock.get()));
                            }
                            update(
                                    job,
                                    bound,
                                    (found, at) -> found.with(found.run().withStaged(staged))
                                            .to(JobState.QUEUED, Cause.NONE, at));
                        },
                        failure -> {
                            staging.ended(key);
                            arrays.ended(key);
                            stagingFailed(job, bound, failure);
                        });
    }

    private void stagingFailed(JobRecord job, @Nullable Instant bound, Exception failure) {
        if (!context.transfers.isBoundAsOf(job.id(), bound)) {
            return;
        }
        Instant since = context.failing.stageInFailed(job.id(), clock.get());
        boolean hopeless = failure instanceof FileRefused || clock.get().isAfter(since.plus(STAGE_IN_TRIED));
        if (hopeless) {
            // A foreign job is held there too, and may be let go when its user has mended it.
            JobState next = ForeignJobs.isForeign(job) ? JobState.HELD : JobState.FAILED;
            update(
                    job,
                    bound,
                    (found, at) -> found.to(next, new JobCause.Unstageable(String.valueOf(failure.getMessage())), at));
            context.waits.remove(job.id());
            context.journal.job(job.id()).filter(found -> !found.isLive()).ifPresent(results::forget);
        } else {
            context.waits.put(job.id(), new WaitCause.InputInterrupted(String.valueOf(failure.getMessage())));
            LOG.warn("job {}: stage-in: {}", job.id(), failure.toString());
        }
    }

    private interface Step {
        JobRecord from(JobRecord found, Instant at);
    }

    /**
     * A bundle that was staged for a site says nothing when the job was bound anew meanwhile, be it to the same site.
     */
    private void update(JobRecord job, @Nullable Instant bound, Step step) {
        Instant now = clock.get();
        if (!context.transfers.isBoundAsOf(job.id(), bound)) {
            return;
        }
        context.failing.stageInAnew(job.id());
        context.journal
                .job(job.id())
                .filter(found -> found.jobState() == JobState.STAGING_IN
                        && found.run().site().equals(job.run().site()))
                .ifPresent(found -> context.journal.commit(now, step.from(found, now)));
    }
}
