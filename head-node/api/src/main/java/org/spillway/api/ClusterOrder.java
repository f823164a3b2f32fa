package org.spillway.api;

import java.util.List;
import org.spillway.policy.Money;

/**
 * A cluster that is asked for.
 *
 * @param name {@code [a-z][a-z0-9-]{0,29}}
 * @param nodes 1 to 1000
 * @param gpus that each node has at least
 * @param type instance type of the nodes; empty for the cheapest that fits
 * @param ttlSeconds 30 s to 30 d
 * @param budget for all of it, for all its time
 * @param users who may use it besides its owner, at most 50
 * @param results folder of the owner's that results of its jobs are brought to, an absolute path; empty to leave them
 * @param image of its nodes, one of those that the configuration names; empty for the parent's
 * @param workload who gives jobs to nodes, {@code embedded} or {@code slurm}; empty for embedded
 */
public record ClusterOrder(
        String name,
        String site,
        int nodes,
        int gpus,
        String type,
        long ttlSeconds,
        Money budget,
        List<String> users,
        String results,
        String image,
        String workload) {
    public ClusterOrder {
        users = List.copyOf(users);
    }
}
