package org.spillway.api;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Which jobs to list.
 *
 * @param uid only this user's; empty for everybody's
 * @param ended whether those that have ended are listed too
 * @param queue only those of this queue; empty for all
 * @param state only those in this state; empty for all
 * @param since only those that had not ended before it; {@link Instant#MIN} for all
 * @param until only those that were submitted before it; {@link Instant#MAX} for all
 * @param limit 1 to 10000; the newest stay
 */
public record JobFilter(
        OptionalInt uid,
        boolean ended,
        String queue,
        Optional<JobState> state,
        Instant since,
        Instant until,
        int limit) {
    public static final int MOST = 10_000;

    public JobFilter {
        if (limit < 1 || limit > MOST) {
            throw new IllegalArgumentException("limit " + limit + " is not in 1 to " + MOST);
        }
    }

    /** In any queue and state. */
    public JobFilter(OptionalInt uid, boolean ended, int limit) {
        this(uid, ended, "", Optional.empty(), Instant.MIN, Instant.MAX, limit);
    }

    /** Whether a job was there in its time. @param endedAt null for one that has not ended */
    public boolean spans(Instant submittedAt, @Nullable Instant endedAt) {
        return submittedAt.isBefore(until) && (endedAt == null || !endedAt.isBefore(since));
    }

    /** Whether it lets a job of anybody through. */
    public boolean admits(String itsQueue, JobState itsState) {
        return (queue.isEmpty() || queue.equals(itsQueue))
                && state.filter(wanted -> wanted != itsState).isEmpty()
                && (ended || !itsState.isTerminal());
    }
}
