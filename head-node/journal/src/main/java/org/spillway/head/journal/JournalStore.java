package org.spillway.head.journal;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.spillway.api.JobFilter;
import org.spillway.head.cause.Cause;
import org.spillway.head.past.Standing;

/** Where the journal's entries are kept. One writer; a batch is durable as a whole or not there at all. */
public interface JournalStore extends AutoCloseable {
    /**
     * Writes a batch durably, with a timeline line for each change of state.
     *
     * @throws JournalFailure if it is not certain that the batch is durable: the head must stop then, for what it
     *     remembers and what is on disk may differ
     */
    void write(Instant at, List<? extends Entry> entries, List<Transition> transitions);

    /**
     * Every live entry, every node whose cost may count from {@code costFrom} on, the latest 1,000 launches, breakers, and how
     * far nodes have come.
     */
    List<Entry> load(Instant costFrom);

    Optional<JobRecord> job(String id);

    /** The job that this user submitted under this key. */
    Optional<JobRecord> jobByKey(int uid, String idempotencyKey);

    /**
     * Jobs that have ended, the latest end first. Their programs are left out: it is for listings of many.
     *
     * @param uid only this user's; empty for everybody's
     */
    default List<JobRecord> endedJobs(OptionalInt uid, int limit) {
        return endedJobs(uid, Instant.MIN, limit);
    }

    /**
     * The same, of jobs that ended at that moment or later.
     *
     * @param since to the second
     */
    List<JobRecord> endedJobs(OptionalInt uid, Instant since, int limit);

    /**
     * The same, of those that a filter lets through: others, however many and however much later, take no place.
     *
     * @param filter of what has ended, whether it says so or not
     */
    List<JobRecord> endedJobs(JobFilter filter);

    /** The tasks of an array by index, live or ended; empty when there is no such array. */
    List<JobRecord> tasks(String array);

    /** Clusters on demand that have ended, the latest end first, however long ago. Slow: any thread but the loop's. */
    List<ClusterRecord> endedClusters(int limit);

    /** Notices to the owner of that cluster, oldest first, however old. */
    List<NoticeRecord> notices(String cluster);

    /** The timeline of one job, node or intent, oldest first. */
    List<Transition> timeline(String kind, String id);

    /** The moment of the last step that was written; empty where there is none. */
    default Optional<Instant> latest() {
        return Optional.empty();
    }

    /** The decisions that are still kept, those that were moved, too. */
    DecisionLog decisions();

    /**
     * A number that is larger at each call, over restarts too. Reserved in blocks, one durable write for each block: a
     * head that was killed leaves a gap, and no number is given twice.
     *
     * @throws JournalFailure if no block can be reserved; no number was given then
     */
    long nextSequence();

    /**
     * Has the next {@code count} numbers reserved, in one durable write at most.
     *
     * @param count 0 or more
     * @throws JournalFailure if they cannot be reserved
     */
    default void reserve(int count) {}

    /** How far it knows its past. Any thread. */
    default Standing standing() {
        return Standing.UNKEPT;
    }

    /** Whether its disk is so full that nothing new should be begun: ends can still be written. Any thread. */
    default boolean isShortOfRoom() {
        return false;
    }

    /** No other head of this state lives: the state is where this head is. Idempotent. */
    default void settle() {}

    /** Ends a quarantine, durably. Idempotent. */
    default void release() {}

    /**
     * Deletes some of the decisions, launches and words on nodes, with their timelines, that nobody needs any more: those written before
     * a moment, and the oldest of each kind beyond a number. Nothing that was moved, and nothing else. Idempotent. Any thread; it
     * holds up a write for a few milliseconds only, so there may be more to delete than one call does.
     *
     * @param most 1 or more of each of these kinds stay, when they are new enough
     * @return how many entries were deleted; zero when none is left to delete
     */
    int prune(Instant before, int most);

    /**
     * Moves some of what has ended long ago from where it holds up a start and a listing to where it does not; it is read as
     * before. What is moved is durable there before it is gone here. Idempotent; one thread. It holds up a write for a few
     * milliseconds only, so there may be more to move than one call does.
     *
     * @param jobsBefore jobs that ended, and decisions that were made, before it
     * @param pricedBefore nodes, clusters, intents and costs that were written last before it; none whose cost may still count
     * @param decisions 1 or more: so many of the latest stay, when they are new enough
     * @return how many entries were moved; zero when none is left to move
     * @throws JournalFailure if it cannot be done now; nothing is lost then, nothing is there twice
     */
    default int archive(Instant jobsBefore, Instant pricedBefore, int decisions) {
        return 0;
    }

    /**
     * Deletes some of what was moved so, for good: what has its last word before that. Idempotent; the same thread.
     *
     * @param decisionsBefore the same for decisions
     * @return how many entries were deleted; zero when none is left to delete
     */
    default int forgetArchived(Instant before, Instant decisionsBefore) {
        return 0;
    }

    @Override
    void close();

    /** Order of an array's tasks. */
    Comparator<JobRecord> BY_INDEX = Comparator.comparingInt(JournalStore::index);

    /** Order of a cluster's notices. */
    Comparator<NoticeRecord> BY_TIME = Comparator.comparing(NoticeRecord::at).thenComparing(NoticeRecord::id);

    private static int index(JobRecord job) {
        JobSpec.ArrayTask task = job.spec().array();
        return task == null ? -1 : task.index();
    }

    static boolean isTask(JobRecord job, String array) {
        JobSpec.ArrayTask task = job.spec().array();
        return task != null && task.id().equals(array);
    }

    /** A line of a timeline; {@code from} is empty for the first. */
    record Transition(Instant at, String kind, String id, String from, String to, Cause cause) {
        public String reason() {
            return cause.text();
        }
    }
}
