package org.spillway.head.loop.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.JobState;
import org.spillway.director.wire.Report;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.loop.port.Stager;
import org.spillway.head.loop.state.Purse;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.stage.Checksum;
import org.spillway.stage.worker.FileRefused;

/**
 * Brings outputs of running jobs home, a round of a job at a time, when their nodes have sealed one in the region. The node
 * begins the next one when it reads in its order that this one was dealt with.
 */
final class Syncing {
    private static final Logger LOG = LoggerFactory.getLogger(Syncing.class);
    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(5);

    private final World world;
    private final Sites sites;
    private final Purse purse;
    private final Supplier<Instant> clock;
    private final StagingTurns turns;

    /** @param turns that copies of results home share */
    Syncing(World world, Sites sites, Purse purse, Supplier<Instant> clock, StagingTurns turns) {
        this.world = world;
        this.sites = sites;
        this.purse = purse;
        this.clock = clock;
        this.turns = turns;
    }

    private static String key(String job) {
        return "sync:" + job;
    }

    /** Whether a round of it is on its way: what comes home at its end must not be older than that. */
    boolean isUnderWay(String job) {
        return world.ports().effects().isUnderWay(key(job));
    }

    /** A node's word on a job that runs there. */
    void hear(JobRecord job, Report.JobReport heard, Instant now) {
        Report.Synced said = heard.synced();
        int rank = job.run().nodes().indexOf(heard.node());
        if (said == null || rank < 0 || !isNew(job, rank, said)) {
            return;
        }
        String site = job.run().site();
        String key = key(job.id());
        Optional<NodeRecord> director = sites.readyDirector(site);
        if (director.isEmpty()
                || isUnderWay(job.id())
                || !turns.mayBegin(job.spec().uid(), site)
                || !world.calls().mayAskAgain(key, now, BETWEEN_TRIES)) {
            return;
        }
        turns.begun(key, job.spec().uid(), site);
        var round = new Stager.Round(rank, said.round(), new Checksum(said.bytes(), said.sha256()));
        DirectorTarget target = Sites.target(director.get());
        world.ports()
                .effects()
                .begin(
                        key,
                        () -> world.ports().stager().sync(target, job, round),
                        synced -> ended(job, round, synced),
                        failure -> failed(job, round, failure));
    }

    private static boolean isNew(JobRecord job, int rank, Report.Synced said) {
        JobRun.Synced last = job.run().ranks().get(rank).synced();
        return job.spec().data().syncSeconds() > 0
                && !job.run().isStopping()
                && !job.run().ranks().get(rank).isOver()
                && said.round() > (last == null ? 0 : last.round())
                && said.bytes() >= 0
                && said.sha256().matches("[0-9a-f]{64}");
    }

    private void failed(JobRecord job, Stager.Round round, Exception failure) {
        if (failure instanceof FileRefused) {
            // Nothing but the user's own doing mends that, and all of it comes home at the end.
            ended(job, round, new Stager.Synced(0, 0, String.valueOf(failure.getMessage()), false));
        } else {
            turns.ended(key(job.id()));
            LOG.warn("job {}: outputs on their way home while it runs: {}", job.id(), failure.toString());
        }
    }

    private void ended(JobRecord job, Stager.Round round, Stager.Synced what) {
        turns.ended(key(job.id()));
        Instant now = clock.get();
        // Of an attempt that was given up meanwhile nobody is told.
        world.journal()
                .job(job.id())
                .filter(found -> found.jobState() == JobState.RUNNING
                        && found.run().attempt() == job.run().attempt())
                .ifPresent(found -> {
                    world.calls().forget(key(job.id()));
                    List<Entry> batch = new ArrayList<>();
                    batch.add(found.with(found.run()
                            .synced(
                                    found.run().nodes().get(round.rank()),
                                    next(found.run().ranks().get(round.rank()).synced(), round, what, now))));
                    batch.addAll(purse.egress().carried(found, round.bundle().bytes(), now));
                    world.journal().commit(now, batch);
                });
    }

    private static JobRun.Synced next(
            JobRun.@Nullable Synced last, Stager.Round round, Stager.Synced what, Instant now) {
        long before = last == null ? 0 : last.allBytes();
        return new JobRun.Synced(
                round.number(),
                now,
                what.files(),
                what.bytes(),
                before + round.bundle().bytes(),
                what.said(),
                what.again());
    }
}
