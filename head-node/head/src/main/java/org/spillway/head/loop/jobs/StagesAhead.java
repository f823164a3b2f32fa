package org.spillway.head.loop.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.JobState;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.StageRecord;
import org.spillway.head.journal.StageRecord.Status;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.loop.port.Stager;
import org.spillway.head.loop.state.JobMemory;
import org.spillway.head.loop.state.SiteState;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.stage.worker.FileRefused;

/**
 * Brings files to sites ahead of any job, in the same way as a job's input, keeps them as long as they are wanted, and
 * lets them go. A user has one such copy under way at a time, so that jobs have the other worker.
 */
public final class StagesAhead {
    private static final Logger LOG = LoggerFactory.getLogger(StagesAhead.class);
    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(5);
    /** Without any progress. */
    private static final Duration TRIED = Duration.ofMinutes(30);

    private static final int MOST_OF_A_SITE = 2;

    private final World world;
    private final Sites sites;
    private final JobMemory memory;
    private final Supplier<Instant> clock;
    /** By id, since when: a copy of one that is wanted anew, or not any more, ends at its next bytes. */
    private final Map<String, Instant> underWay = new ConcurrentHashMap<>();

    StagesAhead(World world, Sites sites, JobMemory memory, Supplier<Instant> clock) {
        this.world = world;
        this.sites = sites;
        this.memory = memory;
        this.clock = clock;
    }

    private static String key(StageRecord stage) {
        return "ahead:" + stage.id();
    }

    void advance(boolean releasing, Instant now) {
        for (StageRecord stage : List.copyOf(world.journal().stages())) {
            SiteState site = sites.find(stage.site());
            if (site == null) {
                world.journal().commit(now, stage.to(Status.GONE, "its site is not configured any more", now));
                continue;
            }
            if (stage.status() != Status.WAITING) {
                underWay.remove(stage.id());
            }
            switch (stage.status()) {
                case WAITING -> begin(stage, site, now);
                case THERE -> keep(stage, site, releasing, now);
                case GOING -> remove(stage, now);
                case GONE, FAILED -> {}
            }
        }
    }

    private void begin(StageRecord stage, SiteState site, Instant now) {
        String store = sites.store(site);
        Optional<NodeRecord> director = sites.readyDirector(stage.site());
        String key = key(stage);
        if (store == null
                || director.isEmpty()
                || world.ports().effects().isUnderWay(key)
                || !mayBegin(stage)
                || !world.calls().mayAskAgain(key, now, BETWEEN_TRIES)) {
            return;
        }
        DirectorTarget target = Sites.target(director.get());
        JobRecord job = job(stage, now);
        underWay.put(stage.id(), stage.since());
        world.ports()
                .effects()
                .begin(
                        key,
                        () -> {
                            Stager.Extent extent = world.ports().stager().measure(job.spec());
                            memory.transfers().inputIs(stage.id(), extent.files(), extent.bytes());
                            return world.ports()
                                    .stager()
                                    .stageIn(target, job, store, null, bytes -> moved(stage, bytes));
                        },
                        staged -> ended(stage, found -> found.withStaged(staged).to(Status.THERE, "", clock.get())),
                        failure -> failed(stage, failure));
    }

    private void moved(StageRecord stage, long bytes) {
        if (!stage.since().equals(underWay.get(stage.id()))) {
            throw new IllegalStateException("nobody wants it there any more");
        }
        memory.transfers().movedIn(stage.id(), bytes);
    }

    private boolean mayBegin(StageRecord stage) {
        int ofSite = 0;
        for (StageRecord other : world.journal().stages()) {
            if (underWay.containsKey(other.id()) && world.ports().effects().isUnderWay(key(other))) {
                ofSite += other.site().equals(stage.site()) ? 1 : 0;
                if (other.owner().uid() == stage.owner().uid()) {
                    return false;
                }
            }
        }
        return ofSite < MOST_OF_A_SITE;
    }

    /** The same as a job with that input would have. */
    private static JobRecord job(StageRecord stage, Instant now) {
        JobSpec spec = JobSpec.of(draft -> {
            draft.name = stage.id();
            draft.owner = stage.owner();
            draft.sites = List.of(stage.site());
            draft.data = stage.data();
            draft.submittedAt = now;
        });
        return new JobRecord(stage.id(), spec, JobState.STAGING_IN, Cause.NONE, now, JobRun.NONE.at(stage.site()));
    }

    private interface Step {
        StageRecord from(StageRecord found);
    }

    /** An effect of what is wanted anew meanwhile, or not any more, says nothing. */
    private void ended(StageRecord stage, Step step) {
        underWay.remove(stage.id());
        world.journal()
                .stage(stage.id())
                .filter(found ->
                        found.status() == stage.status() && found.since().equals(stage.since()))
                .ifPresent(found -> {
                    memory.failing().stageInAnew(stage.id());
                    world.journal().commit(clock.get(), step.from(found));
                });
    }

    private void failed(StageRecord stage, Exception failure) {
        Instant now = clock.get();
        Instant since =
                memory.failing().stageInFailed(stage.id(), memory.transfers().movedIn(stage.id()), now);
        if (failure instanceof FileRefused || now.isAfter(since.plus(TRIED))) {
            ended(stage, found -> found.to(Status.FAILED, String.valueOf(failure.getMessage()), now));
        } else {
            underWay.remove(stage.id());
            LOG.warn("{}: on its way to site {}: {}", stage.id(), stage.site(), failure.toString());
        }
    }

    private void keep(StageRecord stage, SiteState site, boolean releasing, Instant now) {
        Instant until = stage.keptUntil();
        String store = sites.store(site);
        JobRun.Staged staged = stage.staged();
        if (releasing || until == null || !now.isBefore(until)) {
            world.journal().commit(now, stage.to(Status.GOING, releasing ? "the site is released" : "", now));
        } else if (store != null && staged != null && !store.equals(staged.store())) {
            long left = Math.max(1, Duration.between(now, until).toSeconds());
            world.journal().commit(now, stage.again(left, now).to(Status.WAITING, "its site has lost it", now));
        }
    }

    /** Where there is no director, nothing is left. */
    private void remove(StageRecord stage, Instant now) {
        String key = key(stage);
        Optional<NodeRecord> director = sites.readyDirector(stage.site());
        if (world.ports().effects().isUnderWay(key)) {
            return;
        }
        if (sites.director(stage.site()).isEmpty()) {
            gone(stage);
        } else if (director.isPresent() && world.calls().mayAskAgain(key, now, BETWEEN_TRIES)) {
            DirectorTarget target = Sites.target(director.get());
            world.ports()
                    .effects()
                    .begin(
                            key,
                            () -> {
                                world.ports().stager().clean(target, stage.id());
                                return true;
                            },
                            done -> gone(stage),
                            failure ->
                                    LOG.warn("{} stays in site {}: {}", stage.id(), stage.site(), failure.toString()));
        }
    }

    private void gone(StageRecord stage) {
        memory.forget(stage.id());
        world.calls().forget(key(stage));
        ended(stage, found -> found.to(Status.GONE, found.why(), clock.get()));
    }

    /** A job of its user has been given the same. */
    void used(JobRecord job, Instant now) {
        world.journal()
                .commit(
                        now,
                        world.journal().stages().stream()
                                .filter(stage -> stage.status() == Status.THERE
                                        && stage.owner().uid() == job.spec().uid()
                                        && stage.site().equals(job.run().site())
                                        && isOf(stage, job))
                                .map(stage -> stage.used(now))
                                .toList());
    }

    private static boolean isOf(StageRecord stage, JobRecord job) {
        return stage.data().inputs().stream()
                .anyMatch(input -> job.spec().inputs().stream()
                        .anyMatch(other -> other.pattern().equals(input.pattern())));
    }
}
