package org.spillway.head.tenant;

import java.io.IOException;
import java.util.Optional;
import org.spillway.head.config.WorkloadKind;
import org.spillway.head.rest.RoutePart;

/**
 * A workload manager, found by {@code ServiceLoader}: a module and one line, and no edit elsewhere. The head's own queue is
 * one like the others.
 */
public interface WorkloadTenant {
    /** Lower-case word of {@code workload.manager}. */
    String name();

    /** The section below {@code workload} that is its own; empty for one without settings. */
    default Optional<WorkloadKind> section() {
        return Optional.empty();
    }

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

    /** The command by which a user enters one of its running jobs, of that number; empty where that is not known. */
    default String entering(String number) {
        return "";
    }

    /** Answers requests while another manager is this head's, so that whoever sends them hears why. */
    default Optional<RoutePart> refusals() {
        return Optional.empty();
    }
}
