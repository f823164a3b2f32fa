package org.spillway.head.loop.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.JobState;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.Reclaimed;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.loop.state.Purse;
import org.spillway.head.loop.state.SiteState;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.head.loop.waits.Finder;
import org.spillway.head.loop.waits.WaitFinding;
import org.spillway.policy.Money;
import org.spillway.stage.transfer.ChecksumMismatch;
import org.spillway.stage.worker.FileRefused;

/**
 * Checkpoints of attempts whose nodes were taken back: home, and from there to the region in which the job goes on. A job
 * that goes on where it was waits for none of it. Of an attempt whose node was lost they are made of what came home before.
 */
final class Checkpoints {
    /** For so long a job waits for one that cannot be had; then it begins anew. */
    static final Duration PATIENCE = Duration.ofMinutes(10);

    private static final Logger LOG = LoggerFactory.getLogger(Checkpoints.class);
    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(3);

    private final World world;
    private final Sites sites;
    private final Purse purse;
    private final Supplier<Instant> clock;
    private final StagingTurns bringing;
    private final Predicate<String> syncing;
    private final Consumer<JobRecord> leftovers;
    /** Since when it could not be had, by job. */
    private final Map<String, Instant> failing = new HashMap<>();

    /**
     * @param syncing whether a round of that job is on its way to its places
     * @param leftovers removes what lies hidden at home of a job that has ended meanwhile
     */
    Checkpoints(
            World world,
            Sites sites,
            Purse purse,
            Supplier<Instant> clock,
            StagingTurns bringing,
            Predicate<String> syncing,
            Consumer<JobRecord> leftovers) {
        this.world = world;
        this.sites = sites;
        this.purse = purse;
        this.clock = clock;
        this.bringing = bringing;
        this.syncing = syncing;
        this.leftovers = leftovers;
    }

    /** Whether nothing of the kind has to come to that store before the job's next attempt. */
    static boolean isThere(JobRecord job, String store) {
        Reclaimed left = job.run().reclaimed();
        return left == null || !left.isLeft() || left.store().equals(store);
    }

    /** @param releasing all regions are about to go */
    void advance(List<WaitFinding> found, boolean releasing, Instant now) {
        Set<String> left = new HashSet<>();
        // Few of a long queue: these alone are listed, before any of them is changed.
        List<JobRecord> jobs = Stream.of(JobState.STAGING_IN, JobState.QUEUED, JobState.RUNNING)
                .flatMap(state -> world.journal().jobs(state).stream())
                .filter(job -> job.run().reclaimed() instanceof Reclaimed one && one.isLeft())
                .toList();
        for (JobRecord job : jobs) {
            if (job.run().reclaimed() instanceof Reclaimed one) {
                left.add(job.id());
                advance(job, one, found, releasing, now);
            }
        }
        failing.keySet().retainAll(left);
    }

    private void advance(JobRecord job, Reclaimed left, List<WaitFinding> found, boolean releasing, Instant now) {
        boolean waits = job.jobState() != JobState.RUNNING;
        switch (CheckpointStep.of(left, facts(job, left, waits, releasing, now))) {
            case REST -> failing.remove(job.id());
            case GATHER -> gather(job, waits, found, now);
            case BRING -> begin(job, left.site(), found, now);
            case SEND -> begin(job, job.run().site(), found, now);
            case WAIT -> {
                failing.putIfAbsent(job.id(), now);
                says(job, waits, found);
            }
            case STAY -> change(job, Reclaimed::staying);
            case FORGET -> forget(job, "its checkpoint could not be had any more");
        }
    }

    private CheckpointStep.Facts facts(JobRecord job, Reclaimed left, boolean waits, boolean releasing, Instant now) {
        SiteState here = sites.find(job.run().site());
        SiteState there = sites.find(left.site());
        Instant since = failing.get(job.id());
        return new CheckpointStep.Facts(
                job.run().site(),
                here == null ? null : sites.store(here),
                there == null ? null : sites.store(there),
                there == null || world.journal().liveDirectors(left.site()).isEmpty(),
                waits,
                there == null || !there.plan.egressPerGigabyte().isMoreThan(Money.ZERO),
                releasing,
                since != null && now.isAfter(since.plus(PATIENCE)),
                syncing.test(job.id()));
    }

    /** Of files of the user's own: no region is needed. */
    private void gather(JobRecord job, boolean waits, List<WaitFinding> found, Instant now) {
        String key = key(job);
        says(job, waits, found);
        if (world.ports().effects().isUnderWay(key) || !world.calls().mayAskAgain(key, now, BETWEEN_TRIES)) {
            return;
        }
        world.ports()
                .effects()
                .begin(
                        key,
                        () -> world.ports().stager().gatherCheckpoint(job),
                        made -> {
                            failing.remove(job.id());
                            change(job, left -> left.gathered(made));
                            tidy(job);
                        },
                        failure -> failed(job, false, failure));
    }

    private static void says(JobRecord job, boolean waits, List<WaitFinding> found) {
        if (waits) {
            found.add(new WaitFinding(
                    job.id(),
                    Finder.STAGING,
                    new WaitCause.CheckpointOnTheWay(job.run().site())));
        }
    }

    static String key(JobRecord job) {
        return "checkpoint:" + job.id();
    }

    /** @param site of the director that has it, or is to have it */
    private void begin(JobRecord job, String site, List<WaitFinding> found, Instant now) {
        String key = key(job);
        Reclaimed left = job.run().reclaimed();
        Optional<NodeRecord> director = sites.readyDirector(site);
        if (left == null || director.isEmpty()) {
            return;
        }
        boolean waits = job.jobState() != JobState.RUNNING;
        if (!left.site().equals(job.run().site())) {
            says(job, waits, found);
        }
        if (world.ports().effects().isUnderWay(key)
                || !bringing.mayBegin(job.spec().uid(), site)
                || !world.calls().mayAskAgain(key, now, BETWEEN_TRIES)) {
            return;
        }
        bringing.begun(key, job.spec().uid(), site);
        DirectorTarget target = Sites.target(director.get());
        boolean home = left.way() == Reclaimed.Way.REGION;
        String store = sites.store(sites.of(site));
        world.ports()
                .effects()
                .begin(
                        key,
                        () -> {
                            if (home) {
                                world.ports().stager().bringCheckpoint(target, job);
                            } else {
                                world.ports().stager().sendCheckpoint(target, job);
                            }
                            return true;
                        },
                        done -> {
                            bringing.ended(key);
                            failing.remove(job.id());
                            if (home) {
                                brought(job);
                                tidy(job);
                            } else if (store != null) {
                                change(job, known -> known.sentTo(site, store));
                            }
                        },
                        failure -> {
                            bringing.ended(key);
                            failed(job, home, failure);
                        });
    }

    /** A job that ended while its checkpoint came home has been forgotten before that lay there. */
    private void tidy(JobRecord job) {
        if (world.journal().job(job.id()).filter(JobRecord::isLive).isEmpty()) {
            leftovers.accept(job);
        }
    }

    private void brought(JobRecord job) {
        Instant now = clock.get();
        same(job).ifPresent(found -> {
            Reclaimed left = found.run().reclaimed();
            if (left != null && left.way() == Reclaimed.Way.REGION) {
                JobRecord inRegion = found.with(found.run().at(left.site()));
                List<Entry> batch = purse.egress().carried(inRegion, left.bytes(), now);
                batch.add(found.with(
                        found.run().withReclaimed(left.atHome(found.run().site()))));
                world.journal().commit(now, batch);
            }
        });
    }

    private void failed(JobRecord job, boolean home, Exception failure) {
        LOG.warn("job {}: its checkpoint: {}", job.id(), failure.toString());
        boolean hopeless = failure instanceof FileRefused || (!home && failure instanceof ChecksumMismatch);
        if (!hopeless) {
            failing.putIfAbsent(job.id(), clock.get());
        } else if (home) {
            change(job, Reclaimed::staying);
        } else {
            forget(job, String.valueOf(failure.getMessage()));
        }
    }

    private void forget(JobRecord job, String why) {
        LOG.warn("job {}: its next attempt begins anew: {}", job.id(), why);
        failing.remove(job.id());
        change(job, Reclaimed::withoutLeft);
    }

    /** The same checkpoint: findings about that of one attempt say nothing of the next one's. */
    private Optional<JobRecord> same(JobRecord job) {
        Reclaimed left = job.run().reclaimed();
        return world.journal()
                .job(job.id())
                .filter(JobRecord::isLive)
                .filter(found -> found.run().reclaimed() instanceof Reclaimed now
                        && left != null
                        && now.isLeft()
                        && now.attempt() == left.attempt()
                        && found.run().site().equals(job.run().site()));
    }

    private void change(JobRecord job, UnaryOperator<Reclaimed> step) {
        same(job).ifPresent(found -> {
            Reclaimed left = found.run().reclaimed();
            if (left != null) {
                world.journal().commit(clock.get(), found.with(found.run().withReclaimed(step.apply(left))));
            }
        });
    }
}
