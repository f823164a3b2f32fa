package org.spillway.head.tenant;

import java.util.Optional;
import org.spillway.head.rest.RoutePart;
import org.spillway.head.workload.WorkloadManager;

/** An opened workload manager, with what it brings besides. */
public interface Tenancy {
    WorkloadManager manager();

    /** Requests that the manager's own programs send. Asked for once. */
    default Optional<RoutePart> routes(HeadDesk head) {
        return Optional.empty();
    }
}
