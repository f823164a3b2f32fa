package org.spillway.head.loop.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.spillway.api.JobState;
import org.spillway.head.cause.JobCause;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.Reclaimed;
import org.spillway.head.past.AttemptNumbers;
import org.spillway.policy.Money;
import org.spillway.stage.Checksum;

/**
 * The next step of a job that was told to end because a node of it is taken back by its provider. It waits for nodes again,
 * and what it has left in its region is its next attempt's to begin from: nobody's results yet. Pure.
 */
final class AfterNotice {
    /** Of one job. A provider that takes back that often would do so for ever. */
    static final int MOST_TIMES = 50;

    private AfterNotice() {}

    /**
     * The next record of a job all of whose parts have ended; empty when no notice ended it, or it was cancelled.
     *
     * @param mostLost attempts that a job may have which came to nothing otherwise
     * @param perHour price of each node by its id
     */
    static Optional<JobRecord> next(JobRecord job, int mostLost, Function<String, Money> perHour, Instant now) {
        Optional<String> node = job.run().takenBack();
        if (node.isEmpty() || job.run().cancelled()) {
            return Optional.empty();
        }
        JobRecord counted = kept(job, perHour);
        boolean left = counted.run().reclaimed() instanceof Reclaimed all
                && all.attempt() == job.run().attempt();
        var why = new JobCause.TakenBack(node.get(), left);
        if (!job.spec().requeue()) {
            return Optional.of(home(counted, new JobCause.NotRequeued(why), now));
        }
        int times = counted.run().timesTakenBack();
        if (times >= MOST_TIMES || lost(counted) >= mostLost) {
            return Optional.of(home(
                    counted,
                    new JobCause.GivenUp(why, AttemptNumbers.made(job.run().attempt())),
                    now));
        }
        return Optional.of(counted.with(counted.run().waiting()).to(JobState.QUEUED, why, now));
    }

    /** The job on its way home with what there is of it: there is no further attempt. */
    private static JobRecord home(JobRecord job, JobCause why, Instant now) {
        return job.to(JobState.STAGING_OUT, why, now);
    }

    /** Attempts of a job that came to nothing otherwise. */
    static int lost(JobRecord job) {
        return AttemptNumbers.made(job.run().attempt()) - job.run().timesTakenBack();
    }

    /** Whether its provider had given notice, whatever it ended of. */
    static boolean wasNoticed(NodeRecord node) {
        return node.cause().all().anyMatch(NodeCause.Reclaimed.class::isInstance);
    }

    /** With one attempt more that was taken back, of which nothing is left. */
    static JobRecord counted(JobRecord job) {
        return job.with(job.run().withReclaimed(before(job.run()).again()));
    }

    /** Only the whole of an attempt is of use: parts of a gang that are of several times fit nobody. */
    private static JobRecord kept(JobRecord job, Function<String, Money> perHour) {
        List<Checksum> left = new ArrayList<>();
        String store = "";
        Reclaimed before = before(job.run());
        long millis = before.savedMillis();
        Money saved = before.saved();
        for (JobRun.Rank rank : job.run().ranks()) {
            JobRun.End end = rank.end();
            if (end == null || end.results() == null) {
                return counted(job);
            }
            left.add(end.results());
            store = end.store();
            Instant began = end.started();
            if (began != null && end.ended().isAfter(began)) {
                Duration time = Duration.between(began, end.ended());
                millis += time.toMillis();
                saved = saved.plus(perHour.apply(rank.node()).perHourFor(time));
            }
        }
        return job.with(job.run()
                .withReclaimed(new Reclaimed(
                        before.times() + 1,
                        millis,
                        saved,
                        job.run().attempt(),
                        job.run().site(),
                        store,
                        left,
                        Reclaimed.Way.REGION)));
    }

    static Reclaimed before(JobRun run) {
        Reclaimed known = run.reclaimed();
        return known == null ? Reclaimed.NEVER : known;
    }
}
