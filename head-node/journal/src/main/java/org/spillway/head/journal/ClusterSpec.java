package org.spillway.head.journal;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.spillway.head.journal.ClusterRecord.User;
import org.spillway.policy.Money;

/**
 * The order for a cluster.
 *
 * @param name unique among those that have not ended
 * @param site of the parent
 * @param users who may see and use it, the owner first
 * @param fleet its nodes; in the journal their parts lie beside the others here
 * @param ttl counted from {@code createdAt}
 * @param budget for all of it, for all its time
 * @param results folder at home that results of its jobs are brought to; empty where they stay
 */
public record ClusterSpec(
        String name,
        String site,
        List<User> users,
        @JsonUnwrapped Fleet fleet,
        Duration ttl,
        Money budget,
        Instant createdAt,
        String results) {
    /**
     * The nodes of a cluster, all alike.
     *
     * @param nodeType instance type
     * @param image empty for the parent's
     * @param workload who gives jobs to them, by a manager's name; empty for its head's own queue
     */
    public record Fleet(int nodes, String nodeType, String image, String workload) {
        public Fleet {
            // Absent in what earlier releases have journalled.
            image = image == null ? "" : image;
            workload = workload == null ? "" : workload;
        }
    }

    public ClusterSpec {
        // Absent in what earlier releases have journalled.
        results = results == null ? "" : results;
        users = List.copyOf(users);
        if (users.isEmpty()) {
            throw new IllegalArgumentException("a cluster has an owner");
        }
    }

    public int nodes() {
        return fleet.nodes;
    }

    public String nodeType() {
        return fleet.nodeType;
    }

    public String image() {
        return fleet.image;
    }

    public String workload() {
        return fleet.workload;
    }

    public boolean hasManager() {
        return !fleet.workload.isEmpty();
    }

    public User owner() {
        return users.getFirst();
    }

    public Instant expires() {
        return createdAt.plus(ttl);
    }

    /** The same order, whose time begins now. */
    ClusterSpec madeAt(Instant now) {
        return new ClusterSpec(name, site, users, fleet, ttl, budget, now, results);
    }

    public ClusterSpec withNodes(int count) {
        Fleet other = new Fleet(count, fleet.nodeType, fleet.image, fleet.workload);
        return new ClusterSpec(name, site, users, other, ttl, budget, createdAt, results);
    }

    /** With more time and more money. */
    public ClusterSpec extended(Duration longer, Money more) {
        return new ClusterSpec(name, site, users, fleet, ttl.plus(longer), budget.plus(more), createdAt, results);
    }
}
