package org.spillway.head.tenant;

import java.io.IOException;
import java.util.Optional;
import org.spillway.head.config.WorkloadKind;
import org.spillway.head.rest.RoutePart;

/** A workload manager of another make, found by {@code ServiceLoader}: a module and one line, and no edit elsewhere. */
public interface WorkloadTenant extends WorkloadKind {
    /**
     * Opens the manager that {@code workload.manager} names.
     *
     * @throws IOException if it cannot work on this machine; the message says what to repair
     */
    Tenancy open(Ground ground) throws IOException;

    /** The needs of a cluster on demand that has such a manager for itself; empty where none can. */
    default Optional<ChildManager> child() {
        return Optional.empty();
    }

    /** Answers requests while another manager is this head's, so that whoever sends them hears why. */
    default Optional<RoutePart> refusals() {
        return Optional.empty();
    }
}
