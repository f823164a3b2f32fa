package org.spillway.head.ondemand;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.ClusterState;
import org.spillway.api.ClusterState.Stage;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.NoticeRecord;
import org.spillway.head.loop.LoopPart;
import org.spillway.head.loop.port.Effects;

/**
 * Results come home while a cluster runs, as its jobs end, so that little is left for its end. Then it is kept until the
 * rest is there too, but never longer than it may be, nor long for a head that does not answer. What came of it is a
 * notice; once that is written down the cluster may go. One thread, the loop's.
 */
public final class Homecoming implements LoopPart {
    private static final Logger LOG = LoggerFactory.getLogger(Homecoming.class);
    private static final Duration BETWEEN = Duration.ofSeconds(10);
    private static final Duration BETWEEN_AT_THE_END = Duration.ofMillis(500);
    /** A cut connection must not cost results; a head that is gone must not cost money. */
    private static final Duration UNREACHABLE = Duration.ofMinutes(1);
    /** A folder that a user may not write to does not become writable. */
    private static final int MOST_TRIES = 3;

    private final Journal journal;
    private final Effects effects;
    private final Work work;
    private final Duration within;
    private final Supplier<Instant> clock;
    private final Map<String, Known> known = new HashMap<>();

    /** Brings what is not home yet. */
    @FunctionalInterface
    interface Work {
        /** Blocks. */
        HomeJobs.Pass pass(ClusterRecord child, Set<String> before, boolean last) throws Exception;
    }

    private static final class Known {
        private final Set<String> home = new HashSet<>();
        private @Nullable Instant asked;
        private int tries;
    }

    /**
     * @param within so long a cluster that is over is kept for its results
     * @param clock the time at which an effect's end is handed back
     */
    Homecoming(Journal journal, Effects effects, Work work, Duration within, Supplier<Instant> clock) {
        this.journal = journal;
        this.effects = effects;
        this.work = work;
        this.within = within;
        this.clock = clock;
    }

    public static Homecoming of(
            Journal journal, Effects effects, HomeJobs jobs, Duration within, Supplier<Instant> clock) {
        return new Homecoming(journal, effects, jobs::pass, within, clock);
    }

    /** Id of the notice that says what came of it. */
    static String notice(ClusterRecord child) {
        return child.id() + ".results." + child.spec().createdAt().getEpochSecond();
    }

    /** Whether nothing more is to come home from it: it may be removed. */
    public boolean isOver(ClusterRecord child) {
        // A cluster that never came so far has had no job.
        return child.spec().results().isEmpty() || child.stage() != Stage.READY || journal.hasNotice(notice(child));
    }

    /** Clusters are busy themselves while they go. */
    @Override
    public boolean isBusy() {
        return false;
    }

    @Override
    public void advance(Instant now, boolean releasing) {
        for (ClusterRecord child : journal.clusters()) {
            if (!child.isLive()) {
                known.remove(child.id());
            } else if (!isOver(child)) {
                switch (child.clusterState()) {
                    case RUNNING -> begin(child, false, BETWEEN, now);
                    case DELETING -> last(child, now);
                    default -> {}
                }
            }
        }
    }

    private void last(ClusterRecord child, Instant now) {
        if (now.isBefore(child.since().plus(within))) {
            begin(child, true, BETWEEN_AT_THE_END, now);
        } else {
            Known its = known.get(child.id());
            settle(
                    child,
                    "not all results came home within " + within.toSeconds() + " s; those of "
                            + jobs(its == null ? 0 : its.home.size()) + " are in "
                            + child.spec().results(),
                    now);
        }
    }

    private void begin(ClusterRecord child, boolean last, Duration pause, Instant now) {
        Known its = known.computeIfAbsent(child.id(), id -> new Known());
        Instant asked = its.asked;
        if (effects.isUnderWay(key(child)) || (asked != null && now.isBefore(asked.plus(pause)))) {
            return;
        }
        its.asked = now;
        Set<String> before = Set.copyOf(its.home);
        effects.begin(
                key(child),
                () -> work.pass(child, before, last),
                pass -> done(child, pass, last),
                failure -> failed(child, failure, last));
    }

    private void done(ClusterRecord then, HomeJobs.Pass pass, boolean last) {
        Known its = known.get(then.id());
        if (its == null) {
            return;
        }
        its.home.addAll(pass.brought());
        pass.failed().forEach((job, why) -> LOG.warn("cluster {}: results of job {}: {}", then.id(), job, why));
        if (!last || pass.open() > 0) {
            return;
        }
        its.tries++;
        if (pass.failed().isEmpty()) {
            settle(
                    then,
                    "results of " + jobs(its.home.size()) + " are in "
                            + then.spec().results(),
                    clock.get());
        } else if (its.tries >= MOST_TRIES) {
            var first = pass.failed().entrySet().iterator().next();
            settle(
                    then,
                    "results of " + jobs(its.home.size()) + " are in "
                            + then.spec().results() + ", those of "
                            + pass.failed().size() + " could not be brought home; job " + first.getKey() + ": "
                            + first.getValue(),
                    clock.get());
        }
    }

    private void failed(ClusterRecord then, Exception failure, boolean last) {
        LOG.warn("cluster {}: no results can be asked for: {}", then.id(), failure.getMessage());
        Known its = known.get(then.id());
        Instant now = clock.get();
        if (last && its != null && !now.isBefore(then.since().plus(UNREACHABLE))) {
            settle(
                    then,
                    "its head does not answer, so that its last results could not be brought home; those of "
                            + jobs(its.home.size()) + " are in " + then.spec().results(),
                    now);
        }
    }

    private void settle(ClusterRecord then, String what, Instant now) {
        boolean goes = journal.cluster(then.id())
                .filter(current -> current.clusterState() == ClusterState.DELETING)
                .isPresent();
        if (goes && !journal.hasNotice(notice(then))) {
            String sentence = NoticeTexts.line("cluster " + then.spec().name() + ": " + what);
            LOG.info("{}", sentence);
            journal.commit(
                    now,
                    new NoticeRecord(notice(then), then.id(), sentence, "", now, NoticeRecord.Status.TOLD, "", ""));
        }
    }

    private static String jobs(int count) {
        return count == 1 ? "1 job" : count + " jobs";
    }

    private static String key(ClusterRecord child) {
        return "results:" + child.id();
    }
}
