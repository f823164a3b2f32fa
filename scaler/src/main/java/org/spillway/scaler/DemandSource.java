package org.spillway.scaler;

import java.time.Instant;
import java.util.List;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;

/** What waits. */
public interface DemandSource {
    /** Shapes that wait now, oldest first. Jobs that may not start yet (dependencies, holds) are not among them. */
    List<Demand> demands(Instant now);

    /** What accounts or queues are entitled to and have had; none where nothing is shared. @param demands that wait */
    default List<ClusterSnapshot.Share> shares(List<Demand> demands, Instant now) {
        return List.of();
    }
}
