package org.spillway.head.loop.jobs;

import java.time.Duration;
import java.util.function.Function;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.Reclaimed;
import org.spillway.policy.Money;

/**
 * The remains of an attempt whose node is no more, without a word from it: the outputs that had come home while it ran. They
 * are its next attempt's to begin from. Pure.
 */
final class AfterLoss {
    private AfterLoss() {}

    /**
     * The job with what its rounds have brought, which is to be made a bundle; the same job where there were none. Only the
     * whole of an attempt is of use: of a gang each rank must have had a round, and no round may have been left out.
     *
     * @param perHour price of each node by its id
     */
    static JobRecord kept(JobRecord job, Function<String, Money> perHour) {
        Reclaimed before = AfterNotice.before(job.run());
        long millis = before.savedMillis();
        Money saved = before.saved();
        for (JobRun.Rank rank : job.run().ranks()) {
            JobRun.Synced last = rank.synced();
            if (last == null || !last.said().isEmpty()) {
                return job;
            }
            Duration time = Duration.between(job.since(), last.at());
            if (time.isPositive()) {
                millis += time.toMillis();
                saved = saved.plus(perHour.apply(rank.node()).perHourFor(time));
            }
        }
        return job.with(job.run().withReclaimed(before.ofRounds(job.run().attempt(), millis, saved)));
    }
}
