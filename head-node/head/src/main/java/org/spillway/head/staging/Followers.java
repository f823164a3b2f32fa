package org.spillway.head.staging;

import java.nio.file.Path;
import java.util.Collection;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobSpec;
import org.spillway.stage.tree.Glob;
import org.spillway.stage.tree.Origin;

/** Which jobs have another's outputs as their inputs, by the places that both name. Pure. */
public final class Followers {
    private Followers() {}

    /** Whether one of {@code others} that is of the same user and has not ended names what this job makes. */
    public static boolean has(JobRecord job, Collection<JobRecord> others) {
        return others.stream()
                .anyMatch(other -> other.isLive()
                        && !other.id().equals(job.id())
                        && other.spec().uid() == job.spec().uid()
                        && other.spec().inputs().stream().anyMatch(input -> isOf(input, job)));
    }

    private static boolean isOf(JobSpec.Input input, JobRecord job) {
        if (Origin.isElsewhere(input.pattern())) {
            return false;
        }
        Path named = Path.of(Glob.parse(input.pattern()).base()).normalize();
        return job.spec().outputs().stream()
                .map(output -> Path.of(output.destination()).normalize())
                .anyMatch(made -> named.startsWith(made) || made.startsWith(named));
    }
}
