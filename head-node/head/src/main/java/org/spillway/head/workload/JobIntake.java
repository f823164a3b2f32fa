package org.spillway.head.workload;

/** Which jobs a workload manager may give to nodes. Idempotent. */
public interface JobIntake {
    /** The job's input is verified in its site: it may be given to a node there. */
    void release(ReleasedJob job);

    /** The job is not to be given to a node: cancelled, held, or ended. */
    void withdraw(String job);
}
