package org.spillway.head.workload;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Role of a manager that its users give jobs to: what the head has to say about those, each by {@link ForeignJob#key}. */
public interface ForeignQueue {
    /** Why the job is where it is, to be shown where its user looks. */
    void tell(String key, String sentence);

    /**
     * The job cannot go on: it is taken off its nodes and ended. One that has ended well, as the manager says, has not: its
     * results are not what was asked for, and it counts as ended by somebody from then on. @param why shown to its user
     */
    void end(String key, String why);

    /**
     * The manager takes the run that it says the job has for one that goes on, and it is over: one that was killed forgets
     * ends. The job is taken off its nodes and run again, or ended if it may not be. Or the manager says that the job has
     * ended, and nothing of that run can be had: then it is run again if the manager still knows it. Idempotent for a run.
     *
     * @param why shown to its user
     */
    void again(String key, String why);

    /**
     * All nodes of a run have said that their parts of it are over: what the manager knows of its end by then does not change any
     * more, also while those nodes are still its own. Idempotent.
     *
     * @param restarts of the manager's count
     * @param since when that run began; null when nobody knows
     */
    default void left(String key, int restarts, @Nullable Instant since) {}
}
