package org.spillway.head.loop.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.director.wire.Report;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.loop.port.Stager;
import org.spillway.head.loop.state.Purse;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;

/**
 * Standard output and error of running jobs, which grow at home, seconds behind (ADR 63). What is kept here is how far each has come;
 * a head that starts anew compares what is there. A job with rounds has them brought by these ({@link Syncing}).
 */
final class RunningOutput {
    private static final Logger LOG = LoggerFactory.getLogger(RunningOutput.class);
    private static final Duration BETWEEN = Duration.ofSeconds(5);
    private static final Duration AFTER_FAILURE = Duration.ofMinutes(1);
    private static final Duration BETWEEN_SWEEPS = Duration.ofMinutes(1);
    private static final int MOST_AT_ONCE = 8;
    private static final int MOST_OF_A_USER = 2;
    /** Of all jobs together: people read this, and results have the line. */
    private static final long BYTES_PER_SECOND = 1 << 20;

    private final World world;
    private final Sites sites;
    private final Purse purse;
    private final Supplier<Instant> clock;
    /** By job and rank. */
    private final Map<String, Part> parts = new HashMap<>();

    private final Map<String, JobRecord> underWay = new HashMap<>();
    private Instant pausedUntil = Instant.MIN;
    private Instant sweptAt = Instant.MIN;

    /** How far a stream is at home. */
    private record Stream(long after, boolean first, boolean ended) {
        static final Stream NEW = new Stream(0, true, false);

        boolean wants(long written) {
            return !ended && written > after;
        }

        Stream with(Stager.Grown grown) {
            return new Stream(
                    grown.after(),
                    first && grown.after() == after,
                    !grown.refused().isEmpty());
        }
    }

    /** The streams of one rank of an attempt. @param next not looked at before */
    private record Part(String job, int attempt, Stream stdout, Stream stderr, Instant next) {
        Part with(List<Stager.Growing> asked, List<Stager.Grown> grown, Instant then) {
            Stream out = stdout;
            Stream err = stderr;
            for (int i = 0; i < asked.size(); i++) {
                boolean isOut = asked.get(i).name().equals("stdout");
                out = isOut ? out.with(grown.get(i)) : out;
                err = isOut ? err : err.with(grown.get(i));
            }
            return new Part(job, attempt, out, err, then);
        }

        List<Stager.Growing> wanted(int rank, JobSpec.Streams places, Report.Written written) {
            List<Stager.Growing> wanted = new ArrayList<>();
            if (!places.stdout().isEmpty() && stdout.wants(written.stdout())) {
                wanted.add(new Stager.Growing(rank, "stdout", stdout.after(), stdout.first()));
            }
            if (!places.stderr().isEmpty() && stderr.wants(written.stderr())) {
                wanted.add(new Stager.Growing(rank, "stderr", stderr.after(), stderr.first()));
            }
            return wanted;
        }
    }

    RunningOutput(World world, Sites sites, Purse purse, Supplier<Instant> clock) {
        this.world = world;
        this.sites = sites;
        this.purse = purse;
        this.clock = clock;
    }

    /** Whether a piece of it is on its way: what comes home at its end must find all of it or nothing. */
    boolean isUnderWay(String job) {
        return underWay.values().stream().anyMatch(record -> record.id().equals(job));
    }

    /** A node's word on a job that runs there. */
    void hear(JobRecord job, Report.JobReport heard, Instant now) {
        Report.Written written = heard.written();
        int rank = job.run().nodes().indexOf(heard.node());
        if (written == null
                || rank < 0
                || job.spec().data().syncSeconds() > 0
                // A manager that has it run again changes nothing about what is at home, and verified.
                || job.run().published() != null
                || job.run().ranks().get(rank).isOver()) {
            return;
        }
        sweep(now);
        String key = "output:" + job.id() + ":" + rank;
        int attempt = job.run().attempt();
        Part known = parts.get(key);
        Part part = known != null && known.attempt() == attempt
                ? known
                : new Part(job.id(), attempt, Stream.NEW, Stream.NEW, now);
        List<Stager.Growing> wanted = part.wanted(rank, job.spec().streams(), written);
        Optional<NodeRecord> director = sites.readyDirector(job.run().site());
        if (!wanted.isEmpty() && director.isPresent() && !now.isBefore(part.next()) && mayBegin(key, job, now)) {
            parts.put(key, part);
            begin(key, job, part, wanted, Sites.target(director.get()));
        }
    }

    private boolean mayBegin(String key, JobRecord job, Instant now) {
        int uid = job.spec().uid();
        return !now.isBefore(pausedUntil)
                && !underWay.containsKey(key)
                && underWay.size() < MOST_AT_ONCE
                && underWay.values().stream()
                                .filter(other -> other.spec().uid() == uid)
                                .count()
                        < MOST_OF_A_USER;
    }

    private void begin(String key, JobRecord job, Part part, List<Stager.Growing> wanted, DirectorTarget director) {
        underWay.put(key, job);
        world.ports()
                .effects()
                .begin(
                        key,
                        () -> world.ports().stager().grow(director, job, wanted),
                        grown -> grown(key, job, part, wanted, grown),
                        failure -> {
                            underWay.remove(key);
                            parts.put(
                                    key,
                                    part.with(List.of(), List.of(), clock.get().plus(AFTER_FAILURE)));
                            LOG.debug("job {}: its output does not grow at home now: {}", job.id(), failure.toString());
                        });
    }

    private void grown(String key, JobRecord job, Part part, List<Stager.Growing> wanted, List<Stager.Grown> grown) {
        Instant now = clock.get();
        underWay.remove(key);
        parts.put(key, part.with(wanted, grown, now.plus(BETWEEN)));
        long bytes = 0;
        for (int i = 0; i < wanted.size(); i++) {
            bytes += grown.get(i).after() - wanted.get(i).after();
            if (!grown.get(i).refused().isEmpty()) {
                LOG.info(
                        "job {}: its output comes home at its end: {}",
                        job.id(),
                        grown.get(i).refused());
            }
        }
        Instant from = pausedUntil.isAfter(now) ? pausedUntil : now;
        pausedUntil = from.plusMillis(bytes * 1000 / BYTES_PER_SECOND);
        List<Entry> carried = purse.egress().carried(job, bytes, now);
        if (bytes > 0 && !carried.isEmpty()) {
            world.journal().commit(now, carried);
        }
    }

    private void sweep(Instant now) {
        if (now.isBefore(sweptAt.plus(BETWEEN_SWEEPS))) {
            return;
        }
        sweptAt = now;
        parts.values()
                .removeIf(part -> world.journal()
                        .job(part.job())
                        .filter(JobRecord::isLive)
                        .isEmpty());
    }
}
