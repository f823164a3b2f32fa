package org.spillway.slurm.manager;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The {@code #SPILLWAY} lines of the jobs that Slurm has. In all and for each user there are no more than some bytes of
 * them: the hook of a job whose lines find no room asks again until others of its user have gone. By any thread.
 */
final class LineStore {
    static final long MOST_BYTES = 64L << 20;
    static final long MOST_BYTES_OF_A_USER = 8L << 20;
    /** The cost of a job besides its text. */
    private static final int OVERHEAD = 200;
    /** Lines may come before the look that shows their job. */
    private static final Duration EARLY = Duration.ofMinutes(1);
    /** Whose they are until then: all together are counted as one user. */
    private static final long NOBODY_YET = -1;

    private record Lines(String text, int bytes, Instant came) {}

    /** Of so many jobs it is known why their lines are not kept; the others wait without a word. */
    private static final int MOST_ROOMLESS = 10_000;

    private final Map<Long, Lines> lines = new HashMap<>();
    private final Map<Long, String> roomless = new HashMap<>();
    private Map<Long, Long> users = Map.of();

    /** The result of keeping a job's lines. */
    sealed interface Put {
        /** The lines are kept. @param changed whether they are others than before */
        record Stored(boolean changed) implements Put {}

        /** There is no room for them. @param why for its user */
        record Full(String why) implements Put {}
    }

    synchronized Put put(long job, String text, Instant now) {
        Lines known = lines.get(job);
        if (known != null && known.text.equals(text)) {
            return new Put.Stored(false);
        }
        int bytes = text.getBytes(StandardCharsets.UTF_8).length + OVERHEAD;
        long user = user(job);
        long all = bytes;
        long its = bytes;
        for (Map.Entry<Long, Lines> other : lines.entrySet()) {
            if (other.getKey() != job) {
                all += other.getValue().bytes;
                its += user(other.getKey()) == user ? other.getValue().bytes : 0;
            }
        }
        if (its > MOST_BYTES_OF_A_USER) {
            return full(job, "of this user's waiting jobs take " + (MOST_BYTES_OF_A_USER >> 20));
        }
        if (all > MOST_BYTES) {
            return full(job, "of all waiting jobs take " + (MOST_BYTES >> 20));
        }
        lines.put(job, new Lines(text, bytes, now));
        roomless.remove(job);
        return new Put.Stored(true);
    }

    private Put full(long job, String what) {
        String why = "the #SPILLWAY lines " + what + " MiB: it is staged when some of these jobs have ended";
        if (roomless.size() < MOST_ROOMLESS) {
            roomless.put(job, why);
        }
        return new Put.Full(why);
    }

    /** Why lines are not kept, by job. */
    synchronized Map<Long, String> roomless() {
        return Map.copyOf(roomless);
    }

    private long user(long job) {
        @Nullable Long user = users.get(job);
        return user == null ? NOBODY_YET : user;
    }

    /** Takes the users that a look which began then has shown. @param users of all jobs that were listed, by id */
    synchronized void seen(Map<Long, Long> users, Instant begun) {
        this.users = users;
        roomless.keySet().retainAll(users.keySet());
        lines.entrySet()
                .removeIf(its -> !users.containsKey(its.getKey())
                        && its.getValue().came.plus(EARLY).isBefore(begun));
    }

    synchronized Map<Long, String> texts() {
        Map<Long, String> texts = new HashMap<>();
        lines.forEach((job, its) -> texts.put(job, its.text));
        return texts;
    }
}
