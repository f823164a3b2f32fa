package org.spillway.head.journal;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Sums over each user's live jobs, kept up job by job: a submission asks for one. One thread writes, any reads. */
public final class UserLoads {
    /** The last character of a text that Java keeps in one byte each. */
    private static final char LATIN = 0xff;
    /** Bytes of an entry beside its characters: a reference, a text's header and its array's. */
    private static final long ENTRY = 48;

    private volatile int total;
    private final Map<Integer, Load> byUser = new ConcurrentHashMap<>();

    /**
     * Sums of one user's live jobs.
     *
     * @param bytes of their scripts, arguments, environments and paths, as the head keeps them in memory: one for a character
     *     of a text in Latin-1, two in others
     */
    public record Load(int jobs, long bytes) {
        public static final Load NONE = new Load(0, 0);

        /** Of one such job. */
        public static Load of(JobSpec spec) {
            long bytes = bytes(spec.program())
                    + bytes(spec.name())
                    + bytes(spec.data().folder());
            for (JobSpec.Input input : spec.inputs()) {
                bytes += 3 * ENTRY + bytes(input.pattern()) + bytes(input.target());
            }
            for (JobSpec.Output output : spec.outputs()) {
                bytes += 3 * ENTRY + bytes(output.pattern()) + bytes(output.destination());
            }
            return new Load(
                    1, bytes + ENTRY * (spec.after().size() + spec.sites().size()));
        }

        static long bytes(JobSpec.Program program) {
            long bytes = bytes(program.script());
            for (String argument : program.arguments()) {
                bytes += ENTRY + bytes(argument);
            }
            for (Map.Entry<String, String> variable : program.environment().entrySet()) {
                bytes += 2 * ENTRY + bytes(variable.getKey()) + bytes(variable.getValue());
            }
            return bytes;
        }

        private static long bytes(String text) {
            for (int at = 0; at < text.length(); at++) {
                if (text.charAt(at) > LATIN) {
                    return 2L * text.length();
                }
            }
            return text.length();
        }

        public Load plus(Load other) {
            return new Load(jobs + other.jobs, bytes + other.bytes);
        }

        public Load times(int count) {
            return new Load(jobs * count, bytes * count);
        }
    }

    Load of(int uid) {
        return byUser.getOrDefault(uid, Load.NONE);
    }

    /** Of all users. */
    int jobs() {
        return total;
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

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
    private void add(JobSpec spec, int count) {
        total += count;
        byUser.merge(spec.uid(), Load.of(spec).times(count), (one, other) -> {
            Load sum = one.plus(other);
            return sum.jobs() == 0 ? null : sum;
        });
    }
}
