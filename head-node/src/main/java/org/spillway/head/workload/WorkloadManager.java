package org.spillway.head.workload;

import java.time.Instant;

/**
 * What runs jobs on nodes: the embedded queue, or Slurm. All calls are idempotent and may be repeated after a crash of
 * the head; the head repeats {@link #join} and {@link #release} for all that is so after a restart.
 */
public interface WorkloadManager {
    /** Lower-case name as in {@code workload.manager}. */
    String name();

    /**
     * What there is now, after the manager has done its own scheduling.
     *
     * @throws WorkloadUnavailable if it did not answer; nothing is concluded from that
     */
    WorkloadView poll(Instant now) throws WorkloadUnavailable;

    /** The node has passed the admission gate: jobs may be given to it. */
    void join(JoinedNode node);

    /** No further job is given to the node. */
    void drain(String node, String reason);

    /** The node is no more. */
    void leave(String node);

    /** The job's input is verified in its site: it may be given to a node there. */
    void release(ReleasedJob job);

    /** The job is not to be given to a node: cancelled, held, or ended. */
    void withdraw(String job);
}
