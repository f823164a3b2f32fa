package org.spillway.head.loop.jobs;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.JobCause;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.loop.state.World;

/**
 * Whether a job that was submitted may go on: jobs that it depends on, and the limit of its array. A dependency names a
 * job that existed when it was submitted, and never changes, so that there are no cycles to look for.
 */
public final class Eligibility {
    private final World world;
    /** Ended jobs are on disk only and never change again. */
    private final Map<String, JobState> ended = new HashMap<>();

    private final Map<String, List<String>> arrays = new HashMap<>();
    private final Map<String, Integer> underWay = new HashMap<>();

    Eligibility(World world) {
        this.world = world;
    }

    /** The verdict on a job. */
    sealed interface Verdict {
        record Free() implements Verdict {}

        record Hold(Cause why) implements Verdict {}

        record Cancel(Cause why) implements Verdict {}
    }

    /** To be called before the jobs of a tick are judged. */
    void begin() {
        underWay.clear();
        boolean anybodyWaits = false;
        for (JobRecord job : world.journal().jobs()) {
            JobSpec.ArrayTask task = job.spec().array();
            if (task != null && task.limit() > 0 && isUnderWay(job.jobState())) {
                underWay.merge(task.id(), 1, Integer::sum);
            }
            anybodyWaits |= !job.spec().after().isEmpty() && !isUnderWay(job.jobState());
        }
        if (!anybodyWaits) {
            ended.clear();
            arrays.clear();
        }
    }

    private static boolean isUnderWay(JobState state) {
        return switch (state) {
            case STAGING_IN, QUEUED, RUNNING, STAGING_OUT -> true;
            case SUBMITTED, HELD, DONE, FAILED, CANCELLED -> false;
        };
    }

    Verdict judge(JobRecord job) {
        Verdict.Hold hold = null;
        for (JobSpec.Dependency dependency : job.spec().after()) {
            List<String> jobs = jobs(dependency.job());
            if (jobs.isEmpty()) {
                return new Verdict.Cancel(new JobCause.DependencyMissing(dependency.job()));
            }
            for (String id : jobs) {
                JobState state = state(id);
                if (state.isTerminal()) {
                    if (dependency.onlyIfDone() && state != JobState.DONE) {
                        return new Verdict.Cancel(new JobCause.DependencyEnded(id, state));
                    }
                } else if (hold == null) {
                    hold = new Verdict.Hold(new WaitCause.WaitsForJob(id, state));
                }
            }
        }
        if (hold != null) {
            return hold;
        }
        JobSpec.ArrayTask task = job.spec().array();
        if (task != null && task.limit() > 0) {
            if (underWay.getOrDefault(task.id(), 0) >= task.limit()) {
                return new Verdict.Hold(new WaitCause.ArrayLimit(task.limit()));
            }
        }
        return new Verdict.Free();
    }

    /** The cause that keeps a job which was not submitted from being placed; none for nothing. */
    Cause holds(JobSpec spec) {
        for (JobSpec.Dependency dependency : spec.after()) {
            for (String id : jobs(dependency.job())) {
                JobState state = state(id);
                if (!state.isTerminal()) {
                    return new WaitCause.WaitsForJob(id, state);
                }
            }
        }
        return Cause.NONE;
    }

    /** The job goes on now, and counts against the limit of its array. */
    void goesOn(JobRecord job) {
        JobSpec.ArrayTask task = job.spec().array();
        if (task != null) {
            underWay.merge(task.id(), 1, Integer::sum);
        }
    }

    /** The job of that id, or the tasks of the array. */
    private List<String> jobs(String id) {
        if (find(id) != null) {
            return List.of(id);
        }
        return arrays.computeIfAbsent(
                id,
                array -> world.journal().store().tasks(array).stream()
                        .map(JobRecord::id)
                        .toList());
    }

    private JobState state(String id) {
        JobState found = find(id);
        return found == null ? JobState.SUBMITTED : found;
    }

    private @Nullable JobState find(String id) {
        JobState known = ended.get(id);
        if (known != null || arrays.containsKey(id)) {
            return known;
        }
        Optional<JobState> state = world.journal().job(id).map(JobRecord::jobState);
        state.filter(JobState::isTerminal).ifPresent(terminal -> ended.put(id, terminal));
        return state.orElse(null);
    }
}
