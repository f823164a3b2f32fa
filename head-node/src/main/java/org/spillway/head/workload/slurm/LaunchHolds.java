package org.spillway.head.workload.slurm;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.spillway.head.workload.WorkloadUnavailable;

/**
 * Jobs that Slurm holds because a slurmctld that was killed had forgotten a run of theirs and began it once more where the
 * first one still was: "Duplicate jobid". Nobody wanted them held, so they are released, each once after each start of
 * slurmctld. Used by one thread.
 */
final class LaunchHolds {
    /** Later than this after slurmctld's start a hold has another cause. */
    private static final Duration AFTERMATH = Duration.ofMinutes(10);
    /** Questions in one look. */
    private static final int MOST = 20;
    /** About one job after one start of slurmctld: while it still completes, or slurmctld is busy, the answer is none. */
    private static final int TRIES = 40;

    /** Whether Slurm itself holds a job, and not its user. */
    @FunctionalInterface
    interface Question {
        boolean isHeldByLaunch(String target) throws WorkloadUnavailable, InterruptedException;
    }

    private Instant started = Instant.MIN;
    private final Map<String, Integer> asked = new HashMap<>();

    /** @param started when slurmctld was @return what to say */
    List<SlurmOrder.Release> look(List<JobBook.Item> items, Instant started, Instant now, Question question)
            throws WorkloadUnavailable, InterruptedException {
        if (!started.equals(this.started)) {
            this.started = started;
            asked.clear();
        }
        List<SlurmOrder.Release> orders = new ArrayList<>();
        if (now.isAfter(started.plus(AFTERMATH))) {
            return orders;
        }
        int questions = 0;
        for (JobBook.Item item : items) {
            SlurmJob row = item.row();
            boolean held = row.isPending() && row.restarts() > 0 && row.reason().equals("JobHeldUser");
            if (held && questions < MOST && asked.getOrDefault(item.target(), 0) < TRIES) {
                questions++;
                boolean byLaunch = question.isHeldByLaunch(item.target());
                asked.merge(item.target(), byLaunch ? TRIES : 1, Integer::sum);
                if (byLaunch) {
                    orders.add(new SlurmOrder.Release(item.target()));
                }
            }
        }
        return orders;
    }
}
