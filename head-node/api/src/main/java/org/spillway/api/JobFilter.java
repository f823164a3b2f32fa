package org.spillway.api;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * Which jobs to list.
 *
 * @param uid only this user's; empty for everybody's
 * @param ended whether those that have ended are listed too
 * @param queue only those of this queue; empty for all
 * @param state only those in this state; empty for all
 * @param limit 1 to 10000; the newest stay
 */
public record JobFilter(OptionalInt uid, boolean ended, String queue, Optional<JobState> state, int limit) {
    public static final int MOST = 10_000;

    public JobFilter {
        if (limit < 1 || limit > MOST) {
            throw new IllegalArgumentException("limit " + limit + " is not in 1 to " + MOST);
        }
    }

    /** In any queue and state. */
    public JobFilter(OptionalInt uid, boolean ended, int limit) {
        this(uid, ended, "", Optional.empty(), limit);
    }

    /** Whether it lets a job of anybody through. */
    public boolean admits(String itsQueue, JobState itsState) {
        return (queue.isEmpty() || queue.equals(itsQueue))
                && state.filter(wanted -> wanted != itsState).isEmpty()
                && (ended || !itsState.isTerminal());
    }
}
