package org.spillway.head.workload;

import java.time.Instant;
import java.util.Optional;
import org.spillway.director.wire.Directive;

/**
 * The manager of jobs on nodes: the embedded queue, or Slurm. All calls are idempotent and may be repeated after a
 * crash of the head; the head repeats {@link #join} and {@link #release} for all that is so after a restart. No call
 * waits for another process: a manager that has to talk to one does so beside them. Used by the loop's thread only.
 */
public interface WorkloadManager extends AutoCloseable {
    /** Lower-case name as in {@code workload.manager}. */
    String name();

    /**
     * The manager's view now, after it has done its own scheduling.
     *
     * @throws WorkloadUnavailable if it did not answer; nothing is concluded from that
     */
    WorkloadView poll(Instant now) throws WorkloadUnavailable;

    /** The node has passed the admission gate: jobs may be given to it. */
    void join(JoinedNode node);

    /** No further job is given to the node: as soon as whoever gives jobs to nodes has heard it, see {@link #isVacant}. */
    void drain(String node, String reason);

    /** The node is no more. */
    void leave(String node);

    /** The job's input is verified in its site: it may be given to a node there. */
    void release(ReleasedJob job);

    /** The job is not to be given to a node: cancelled, held, or ended. */
    void withdraw(String job);

    /** How many nodes of that instance type it can have in that site: more would get no jobs. */
    default int room(String site, String type) {
        return Integer.MAX_VALUE;
    }

    /**
     * The grant that the node has to be told to serve this manager; empty for nothing, or while that is not known yet.
     */
    default Optional<Directive.SlurmGrant> grant(String node) {
        return Optional.empty();
    }

    /** Since when a node that has joined has not been one of the manager's, as far as is known now; empty when it is. */
    default Optional<Instant> absentSince(String node) {
        return Optional.empty();
    }

    /** After {@link #drain}: whether the manager has seen since then that nothing of its own is on the node, or can come. */
    default boolean isVacant(String node) {
        return true;
    }

    /** Why a foreign job is where it is, to be shown where its user looks. @param key as {@link ForeignJob#key} */
    default void tell(String key, String sentence) {}

    /** The foreign job cannot go on: it is taken off its nodes and ended. @param why shown to its user */
    default void end(String key, String why) {}

    /**
     * The manager takes the run that it says the foreign job has for one that goes on, and it is over: one that was killed
     * forgets ends. It is taken off its nodes and run again, or ended if it may not be. Or the manager says that it has
     * ended, and nothing of that run can be had: then it is run again if the manager still knows it. Idempotent for a run.
     *
     * @param why shown to its user
     */
    default void again(String key, String why) {}

    @Override
    default void close() {}
}
