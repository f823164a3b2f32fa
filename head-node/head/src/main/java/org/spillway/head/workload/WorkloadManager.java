package org.spillway.head.workload;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Runs jobs on nodes: the embedded queue, or a tenant such as another workload manager of the site. All calls, also those
 * of the roles, are idempotent and may be repeated after a crash of the head; the head repeats {@link JobIntake#release} and
 * {@link NodeIntake#join} for all that is so after a restart. No call waits for another process: a manager that has to talk
 * to one does so beside them. Used by the loop's thread only. A role that is present is a capability.
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

    /**
     * Nodes that this job would have if it could begin now; not journalled, promised or kept for it, and of use to those only
     * who prepare something there that is of no harm on any other.
     */
    default List<String> wouldGive(ReleasedJob job) {
        return List.of();
    }

    NodeIntake nodes();

    JobIntake jobs();

    /** Nodes that the manager has a list of, and a daemon on each. */
    default Optional<NodeList> nodeList() {
        return Optional.empty();
    }

    /** Jobs that users give to the manager and not to the head. */
    default Optional<ForeignQueue> foreignQueue() {
        return Optional.empty();
    }

    @Override
    default void close() {}
}
