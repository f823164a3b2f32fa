package org.spillway.head.loop.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.JobState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.JobCause;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.loop.foreign.ForeignJobs;
import org.spillway.head.loop.port.InputsRefused;
import org.spillway.head.loop.state.JobMemory;
import org.spillway.head.loop.state.SiteState;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.head.loop.waits.Finder;
import org.spillway.head.loop.waits.WaitFinding;
import org.spillway.stage.Checksum;
import org.spillway.stage.worker.FileRefused;

/** Brings the inputs of jobs to their sites, each when {@link StageInStep} says so. */
public final class StagingIn {
    private static final Logger LOG = LoggerFactory.getLogger(StagingIn.class);
    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(2);
    /** Without any progress. */
    private static final Duration TRIED = Duration.ofMinutes(30);

    private final World world;
    private final Sites sites;
    private final JobMemory memory;
    private final Supplier<Instant> clock;
    private final Results results;
    private final StagesAhead ahead;
    private final Consumer<WaitFinding> later;
    private final ArrayInputs arrays;
    private final StagingQuota quota;
    private final StagingTurns turns = new StagingTurns();

    /** @param later takes what is found out when a copy has ended */
    StagingIn(
            World world,
            Sites sites,
            JobMemory memory,
            Supplier<Instant> clock,
            Results results,
            StagesAhead ahead,
            Consumer<WaitFinding> later) {
        this.world = world;
        this.sites = sites;
        this.memory = memory;
        this.clock = clock;
        this.results = results;
        this.ahead = ahead;
        this.later = later;
        this.arrays = new ArrayInputs(world);
        this.quota = new StagingQuota(world, memory);
    }

    /** A new tick. */
    void begin() {
        arrays.begin();
    }

    /** A copy: whose, and to where. @param bound when the job was bound to its site */
    private record Copy(
            String key,
            JobRecord job,
            String store,
            @Nullable JobRecord alike,
            @Nullable Instant bound,
            Instant begun) {}

    void advance(JobRecord job, List<WaitFinding> found, Instant now) {
        SiteState site = sites.of(job.run().site());
        String store = sites.store(site);
        Optional<NodeRecord> director = store == null ? Optional.empty() : sites.readyDirector(site.plan.name());
        String key = StagingTurns.stageInKey(job.id(), site.plan.name());
        switch (StageInStep.of(site.plan.name(), facts(job, site, key, director.isPresent() ? store : null, now))) {
            case StageInStep.Wait(Cause why) -> found.add(new WaitFinding(job.id(), Finder.STAGING, why));
            case StageInStep.Rest rest -> {}
            case StageInStep.Refuse(String sentence) -> {
                Instant bound = memory.transfers().boundAt(job.id());
                failed(job, bound, new FileRefused(sentence), Finder.STAGING, found::add);
            }
            case StageInStep.Begin(JobRecord alike) -> {
                world.calls().mayAskAgain(key, now, BETWEEN_TRIES);
                found.add(new WaitFinding(
                        job.id(), Finder.STAGING, new WaitCause.InputOnTheWay(site.plan.name(), false)));
                Instant bound = memory.transfers().boundAt(job.id());
                begin(
                        new Copy(key, job, store == null ? "" : store, alike, bound, now),
                        Sites.target(director.orElseThrow()));
            }
        }
    }

    private StageInStep.Facts facts(JobRecord job, SiteState site, String key, @Nullable String store, Instant now) {
        String name = site.plan.name();
        return new StageInStep.Facts() {
            @Override
            public Cause directorObstacle() {
                return store == null ? new WaitCause.DirectorNotReady(name, site.ailment()) : Cause.NONE;
            }

            @Override
            public boolean isUnderWay() {
                return world.ports().effects().isUnderWay(StagedData.key(job.id(), name))
                        || world.ports().effects().isUnderWay(key);
            }

            @Override
            public boolean isBroughtByAnother() {
                return arrays.isOnTheWay(job);
            }

            @Override
            public boolean hasTurn() {
                return turns.mayBegin(job.spec().uid(), name);
            }

            @Override
            public boolean wasTriedJustNow() {
                return !world.calls().mayAsk(key, now, BETWEEN_TRIES);
            }

            @Override
            public @Nullable JobRecord alike() {
                return store == null ? null : arrays.alike(job, store);
            }

            @Override
            public StagingQuota.Verdict room() {
                return quota.judge(job);
            }
        };
    }

    private void begin(Copy copy, DirectorTarget target) {
        JobRecord job = copy.job;
        turns.begun(copy.key, job.spec().uid(), job.run().site());
        arrays.begun(copy.key, job);
        world.ports()
                .effects()
                .begin(
                        copy.key,
                        () -> world.ports().stager().stageIn(target, job, copy.store, copy.alike, bytes -> {
                            if (!memory.transfers().isBoundAsOf(job.id(), copy.bound)) {
                                // Ends the copy: nobody wants it there any more, and its user has few turns.
                                throw new IllegalStateException("the job was bound anew");
                            }
                            memory.transfers().movedIn(job.id(), bytes);
                        }),
                        staged -> {
                            ended(copy);
                            staged(copy, staged);
                        },
                        failure -> {
                            ended(copy);
                            failed(job, copy.bound, failure, Finder.COPY, later);
                        });
    }

    private void ended(Copy copy) {
        turns.ended(copy.key);
        arrays.ended(copy.key);
    }

    private void staged(Copy copy, JobRun.Staged staged) {
        ahead.used(copy.job, clock.get());
        later.accept(WaitFinding.nothing(copy.job.id(), Finder.COPY));
        Checksum bundle = staged.bundle();
        // A copy of which most was there before says nothing of the link.
        if (bundle != null && staged.sentBytes() > bundle.bytes() / 2) {
            memory.transfers()
                    .measured(copy.job.run().site(), staged.sentBytes(), Duration.between(copy.begun, clock.get()));
        }
        update(
                copy.job,
                copy.bound,
                (found, at) -> pinned(found, staged)
                        .with(found.run().withStaged(staged))
                        .to(JobState.QUEUED, Cause.NONE, at));
    }

    /** An image that could not be looked up before is from now on what it was when it was fetched. */
    private static JobRecord pinned(JobRecord job, JobRun.Staged staged) {
        String image = staged.image();
        return image == null || image.equals(job.spec().container())
                ? job
                : job.with(job.spec().with(draft -> draft.data = draft.data.in(image)));
    }

    private void failed(
            JobRecord job, @Nullable Instant bound, Exception failure, Finder finder, Consumer<WaitFinding> findings) {
        if (!memory.transfers().isBoundAsOf(job.id(), bound)) {
            return;
        }
        Instant since =
                memory.failing().stageInFailed(job.id(), memory.transfers().movedIn(job.id()), clock.get());
        boolean hopeless = failure instanceof FileRefused
                || (failure instanceof InputsRefused refused && refused.isLasting())
                || clock.get().isAfter(since.plus(TRIED));
        if (hopeless) {
            // A foreign job is held there too, and may be let go when its user has mended it.
            JobState next = ForeignJobs.isForeign(job) ? JobState.HELD : JobState.FAILED;
            update(job, bound, (found, at) -> found.to(next, why(found, failure), at));
            findings.accept(WaitFinding.nothing(job.id(), finder));
            world.journal().job(job.id()).filter(found -> !found.isLive()).ifPresent(results::forget);
        } else {
            findings.accept(new WaitFinding(
                    job.id(), finder, new WaitCause.InputInterrupted(String.valueOf(failure.getMessage()))));
            LOG.warn("job {}: stage-in: {}", job.id(), failure.toString());
        }
    }

    /** A foreign job is known as one that waits for its user by the type of its cause. */
    private static JobCause why(JobRecord job, Exception failure) {
        return failure instanceof InputsRefused refused && !ForeignJobs.isForeign(job)
                ? refused.why()
                : new JobCause.Unstageable(String.valueOf(failure.getMessage()));
    }

    private interface Step {
        JobRecord from(JobRecord found, Instant at);
    }

    /**
     * A bundle that was staged for a site says nothing when the job was bound anew meanwhile, be it to the same site.
     */
    private void update(JobRecord job, @Nullable Instant bound, Step step) {
        Instant now = clock.get();
        if (!memory.transfers().isBoundAsOf(job.id(), bound)) {
            return;
        }
        memory.failing().stageInAnew(job.id());
        world.journal()
                .job(job.id())
                .filter(found -> found.jobState() == JobState.STAGING_IN
                        && found.run().site().equals(job.run().site()))
                .ifPresent(found -> world.journal().commit(now, step.from(found, now)));
    }
}
