package org.spillway.policy;

import java.time.Instant;
import java.util.List;

/**
 * Everything that a decision may depend on. It carries the time, so that a decision can be replayed.
 *
 * @param schema version of this record's meaning, {@link #SCHEMA} when made by this release
 * @param demands shapes that wait, oldest first
 * @param nodes all nodes that exist or are being made, without directors
 * @param offerings what the sites offer, in no particular order
 * @param statuses health of offerings that were ever asked; one that is missing is healthy
 */
public record ClusterSnapshot(
        int schema,
        Instant now,
        List<Demand> demands,
        List<NodeView> nodes,
        List<Offering> offerings,
        List<OfferingStatus> statuses,
        Limits limits,
        List<ScheduleWindow> windows) {
    public static final int SCHEMA = 1;

    public ClusterSnapshot {
        demands = List.copyOf(demands);
        nodes = List.copyOf(nodes);
        offerings = List.copyOf(offerings);
        statuses = List.copyOf(statuses);
        windows = List.copyOf(windows);
    }
}
