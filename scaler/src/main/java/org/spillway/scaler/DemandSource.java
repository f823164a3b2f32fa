package org.spillway.scaler;

import java.time.Instant;
import java.util.List;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;

/** The waiting jobs. */
public interface DemandSource {
    /** Shapes that wait now, oldest first. Jobs that may not start yet (dependencies, holds) are not among them. */
    List<Demand> demands(Instant now);

    /** Shares of accounts or queues; none where nothing is shared. @param demands that wait */
    default List<ClusterSnapshot.Share> shares(List<Demand> demands, Instant now) {
        return List.of();
    }
}
