package org.spillway.head.journal;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Sums over each user's live jobs, kept up job by job: a submission asks for one. One thread writes, any reads. */
public final class UserLoads {
    private final Map<Integer, Load> byUser = new ConcurrentHashMap<>();

    /**
     * Sums of one user's live jobs.
     *
     * @param characters of their scripts and arguments, which the head keeps in memory
     */
    public record Load(int jobs, long characters) {
        public static final Load NONE = new Load(0, 0);

        /** Of one such job. */
        public static Load of(JobSpec spec) {
            JobSpec.Program program = spec.program();
            return new Load(
                    1,
                    program.script().length()
                            + program.arguments().stream()
                                    .mapToLong(String::length)
                                    .sum());
        }

        public Load plus(Load other) {
            return new Load(jobs + other.jobs, characters + other.characters);
        }

        public Load times(int count) {
            return new Load(jobs * count, characters * count);
        }
    }

    Load of(int uid) {
        return byUser.getOrDefault(uid, Load.NONE);
    }

    /** @param old what the job was before, live; null for a new one */
    void put(@Nullable JobRecord old, JobRecord job) {
        if (old != null && job.isLive() && old.spec().equals(job.spec())) {
            return;
        }
        if (old != null) {
            add(old.spec(), -1);
        }
        if (job.isLive()) {
            add(job.spec(), 1);
        }
    }

    private void add(JobSpec spec, int count) {
        byUser.merge(spec.uid(), Load.of(spec).times(count), (one, other) -> {
            Load sum = one.plus(other);
            return sum.jobs() == 0 ? null : sum;
        });
    }
}
