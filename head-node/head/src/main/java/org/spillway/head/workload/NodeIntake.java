package org.spillway.head.workload;

/** Which nodes a workload manager may give jobs to. Idempotent. */
public interface NodeIntake {
    /** The node has passed the admission gate: jobs may be given to it. */
    void join(JoinedNode node);

    /** No further job is given to the node: as soon as whoever gives jobs has heard it, see {@link NodeList#isVacant}. */
    void drain(String node, String reason);

    /** The node is no more. */
    void leave(String node);
}
