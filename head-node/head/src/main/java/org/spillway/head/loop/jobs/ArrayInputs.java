package org.spillway.head.loop.jobs;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.loop.state.World;

/**
 * Tasks of one array that name the same input: one of them brings it to a site, and the others share what it has brought.
 * Loop thread only.
 */
public final class ArrayInputs {
    /** Tasks with parts of their own in the names of their input ({@code %a}) are in groups of their own. */
    private record Group(String array, int uid, String site, List<JobSpec.Input> inputs) {}

    private final World world;
    private final Map<String, Group> underWay = new HashMap<>();
    /** A staged job of each group, as of this tick; null until somebody asks. */
    private @Nullable Map<Group, JobRecord> staged;

    ArrayInputs(World world) {
        this.world = world;
    }

    /** A new tick: what was staged before may have gone. */
    void begin() {
        staged = null;
    }

    private static @Nullable Group group(JobRecord job) {
        String array = array(job.spec());
        return array.isEmpty()
                        || job.spec().inputs().isEmpty()
                        || job.run().site().isEmpty()
                ? null
                : new Group(
                        array, job.spec().uid(), job.run().site(), job.spec().inputs());
    }

    /** Empty for a job by itself. */
    private static String array(JobSpec spec) {
        JobSpec.ArrayTask task = spec.array();
        if (task != null) {
            return task.id();
        }
        // MANAGER:ARRAY_TASK:SUBMITTED
        int end = spec.foreign().indexOf('_');
        return end < 0 ? "" : spec.foreign().substring(0, end);
    }

    /** Whether another task is just bringing the job's input to its site. */
    boolean isOnTheWay(JobRecord job) {
        Group group = group(job);
        return group != null && underWay.containsValue(group);
    }

    void begun(String key, JobRecord job) {
        Group group = group(job);
        if (group != null) {
            underWay.put(key, group);
        }
    }

    void ended(String key) {
        underWay.remove(key);
    }

    /** Another task that has its input in that staging space; null for none. */
    @Nullable
    JobRecord alike(JobRecord job, String store) {
        Group group = group(job);
        if (group == null) {
            return null;
        }
        Map<Group, JobRecord> known = staged;
        if (known == null) {
            known = new HashMap<>();
            for (JobRecord other : world.journal().jobs()) {
                JobRun.Staged its = other.run().staged();
                Group ofOther = its == null || its.bundle() == null ? null : group(other);
                if (ofOther != null) {
                    known.putIfAbsent(ofOther, other);
                }
            }
            staged = known;
        }
        JobRecord found = known.get(group);
        JobRun.Staged there = found == null ? null : found.run().staged();
        return there != null && there.store().equals(store) ? found : null;
    }
}
