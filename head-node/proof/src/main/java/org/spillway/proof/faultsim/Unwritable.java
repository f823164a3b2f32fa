package org.spillway.proof.faultsim;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.spillway.head.cause.JobCause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JournalStore.Transition;

/**
 * Outputs that cannot be written for hours, and some for longer than a day. What can be written is in its place at once; the
 * rest is tried again with pauses that grow, until it can be written or a day has gone by, whatever restarts of the head; and
 * then the job ends with its reason. Drawn apart from all other draws.
 */
final class Unwritable {
    private static final Duration TRIED = Duration.ofDays(1);
    /** The longest pause between two tries, one that lasts, a dead head, and what a head tries that has just started. */
    private static final Duration LATE = Duration.ofMinutes(25);
    /** A pause that has grown lasts five minutes; before it has grown there are eight tries. */
    private static final int TRIES_PER_HOUR = 13;

    private static final int TRIES_AT_FIRST = 12;

    private final SimWorld world;
    private final Draw draw;
    private final Map<String, Instant> until = new HashMap<>();

    Unwritable(SimWorld world, Draw draw) {
        this.world = world;
        this.draw = draw;
    }

    void step(List<String> jobs) {
        if (!jobs.isEmpty() && until.size() < 3 && draw.chance(0.02)) {
            String job = jobs.get(draw.between(0, jobs.size() - 1));
            String output = draw.chance(0.5) ? "out" : "log";
            Instant end = world.clock.now().plus(Duration.ofMinutes(draw.between(10, draw.chance(0.5) ? 300 : 2400)));
            if (!world.home.hasPublished(job) && until.putIfAbsent(job, end) == null) {
                world.home.lockFast(job, output, end);
                world.drew("output unwritable for hours");
            }
        }
    }

    /** Until the last of them can be written, or is given up. */
    Instant last(Instant calmAt) {
        return until.values().stream().max(Instant::compareTo).orElse(calmAt);
    }

    /** @param lives of the head: each begins with short pauses */
    void check(int lives) {
        until.keySet().forEach(job -> {
            Instant first = world.home.firstTry(job);
            if (first != null) {
                long hours = Duration.between(first, world.clock.now()).toHours() + 1;
                long most = TRIES_PER_HOUR * hours + (long) TRIES_AT_FIRST * lives;
                if (world.home.tries(job) > most) {
                    throw new Broken("the outputs of job " + job + " were tried " + world.home.tries(job)
                            + " times within " + hours + " hours");
                }
            }
        });
    }

    /** Whether the job may have ended without all its outputs. @throws Broken when it ended too soon or too late */
    boolean isGivenUp(JobRecord job) {
        Instant locked = until.get(job.id());
        Instant first = world.home.firstTry(job.id());
        if (locked == null || first == null) {
            return false;
        }
        Instant end = world.disk.timeline("job", job.id()).stream()
                .filter(line -> line.to().equals(job.state()))
                .map(Transition::at)
                .findFirst()
                .orElseThrow(() -> new Broken("job " + job.id() + " has no end in its timeline"));
        Duration tried = Duration.between(first, end);
        if (tried.compareTo(TRIED) < 0 || tried.compareTo(TRIED.plus(LATE)) > 0) {
            throw new Broken("the outputs of job " + job.id() + " were given up after " + tried);
        }
        return end.isBefore(locked)
                && job.cause().all().anyMatch(JobCause.OutputsUnplaced.class::isInstance)
                && job.run().published() != null
                && !job.run().published().unplaced().isEmpty();
    }
}
