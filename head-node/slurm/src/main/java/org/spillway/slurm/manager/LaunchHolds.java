package org.spillway.slurm.manager;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.spillway.head.workload.WorkloadUnavailable;

/**
 * Jobs that Slurm holds because a slurmctld that was killed had forgotten a run of theirs and began it once more where the
 * first one still was: "Duplicate jobid". Nobody wanted them held, so they are released, each once after each start of
 * slurmctld.
 *
 * <p>Slurm says so in a job's reason, which the stage-out of a job with data overwrites at once. Then it is taken for held so
 * that in one moment counts a further run and is held, about when a node is drained for a duplicate. Used by one thread.
 */
final class LaunchHolds {
    /** Later than this after slurmctld's start a hold has another cause. */
    private static final Duration AFTERMATH = Duration.ofMinutes(10);
    /** Between a drain and a hold that have one cause: the job's Epilogs lie between them. */
    private static final Duration TOGETHER = Duration.ofMinutes(1);
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
    private @Nullable Instant duplicate;
    /** How often each job that is not held had been restarted, when it last ran or waited. */
    private Map<String, Integer> free = Map.of();
    /** Since when jobs are held that were free before, with fewer restarts. */
    private final Map<String, Instant> held = new HashMap<>();

    private final Map<String, Integer> asked = new HashMap<>();

    /** @return what to say */
    List<SlurmOrder.Release> look(SlurmSight.Look look, Question question)
            throws WorkloadUnavailable, InterruptedException {
        return look(look.items(), look.nodes().values(), look.started(), look.begun(), question);
    }

    /** @param started when slurmctld was @return what to say */
    List<SlurmOrder.Release> look(
            List<JobBook.Item> items, Collection<SlurmNode> nodes, Instant started, Instant now, Question question)
            throws WorkloadUnavailable, InterruptedException {
        if (!started.equals(this.started)) {
            this.started = started;
            asked.clear();
        }
        if (now.isAfter(started.plus(AFTERMATH))) {
            // Nearly always, and there may be ten thousand jobs.
            free = Map.of();
            held.clear();
            return List.of();
        }
        if (nodes.stream().anyMatch(node -> node.reason().startsWith(NodePlan.DUPLICATE))) {
            duplicate = now;
        }
        note(items, now);
        List<SlurmOrder.Release> orders = new ArrayList<>();
        int questions = 0;
        for (JobBook.Item item : items) {
            String job = item.target();
            if (!isHeld(item.row()) || questions >= MOST || asked.getOrDefault(job, 0) >= TRIES) {
                continue;
            }
            questions++;
            boolean byLaunch = isOfDuplicate(job) || question.isHeldByLaunch(job);
            asked.merge(job, byLaunch ? TRIES : 1, Integer::sum);
            if (byLaunch) {
                orders.add(new SlurmOrder.Release(job));
            }
        }
        return orders;
    }

    private static boolean isHeld(SlurmJob row) {
        return row.isPending() && row.restarts() > 0 && row.reason().equals("JobHeldUser");
    }

    private static boolean isLeaving(SlurmJob row) {
        return switch (row.state()) {
            case "CG", "RQ", "RH", "SE", "SO" -> true;
            default -> false;
        };
    }

    private void note(List<JobBook.Item> items, Instant now) {
        Map<String, Integer> free = new HashMap<>();
        for (JobBook.Item item : items) {
            int restarts = item.row().restarts();
            Integer before = this.free.get(item.target());
            if (isHeld(item.row())) {
                if (before != null && restarts > before) {
                    held.put(item.target(), now);
                }
            } else if (isLeaving(item.row())) {
                // Slurm has counted the run already, and holds the job when its Epilogs are over.
                if (before != null) {
                    free.put(item.target(), before);
                }
            } else {
                free.put(item.target(), restarts);
            }
        }
        Set<String> listed = items.stream().map(JobBook.Item::target).collect(Collectors.toSet());
        held.keySet().retainAll(listed);
        held.keySet().removeAll(free.keySet());
        this.free = free;
    }

    private boolean isOfDuplicate(String job) {
        Instant since = held.get(job);
        Instant drained = duplicate;
        return since != null
                && drained != null
                && Duration.between(since, drained).abs().compareTo(TOGETHER) <= 0;
    }
}
