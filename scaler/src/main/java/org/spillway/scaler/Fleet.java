package org.spillway.scaler;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.LaunchRecord;
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.policy.ScheduleWindow;

/** The nodes there are and the offerings there can be. */
public interface Fleet {
    /** Every node that exists or is being made; directors are not nodes. */
    List<NodeView> nodes();

    List<Offering> offerings();

    /** Launch calls of the last hours, oldest first: the health of offerings is folded from them. */
    List<LaunchRecord> launches();

    /** Nodes that may exist at once, by site. */
    Map<String, Integer> maxNodes();

    /** Measured times from launch to a usable node; an offering that is missing has the default estimate of 60 s. */
    default Map<OfferingId, Duration> bootEstimates() {
        return Map.of();
    }

    /** How often one running instance of an offering was taken back in an hour, as measured; missing where never seen. */
    default Map<OfferingId, Double> reclaimsPerHour(Instant now) {
        return Map.of();
    }

    /** Windows of the schedule that are open at this time. */
    default List<ScheduleWindow> windows(Instant now) {
        return List.of();
    }

    /**
     * Offerings' health with what else keeps them from being launched in numbers.
     *
     * @param statuses as folded from {@link #launches()}
     */
    default List<OfferingStatus> cautious(List<OfferingStatus> statuses, Instant now) {
        return statuses;
    }

    /** Changes that nodes which exist may undergo. */
    default ClusterSnapshot.Changeable changeable() {
        return ClusterSnapshot.Changeable.NOTHING;
    }

    /** Breakers that hold launches at this time. */
    default List<ClusterSnapshot.Breaker> breakers(Instant now) {
        return List.of();
    }
}
