package org.spillway.policy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Jobs that wait and are alike: one shape, not one row per job.
 *
 * @param shape stable name of the shape, unique in a snapshot
 * @param queue the queue (partition) they were submitted to
 * @param perNode what each node must have free
 * @param nodes nodes per job, 1 or more; more than one is a gang that starts together or not at all
 * @param jobs how many such jobs wait, 1 or more
 * @param oldestSubmit when the oldest of them was submitted
 * @param walltime the longest that one of them may run
 * @param sites the sites that the queue allows, in order of preference
 * @param features what an offering must have
 * @param stageInRest for each site, the estimated rest of moving the input there
 * @param history the latest launches made for this shape, oldest first
 */
public record Demand(
        String shape,
        String queue,
        Resources perNode,
        int nodes,
        int jobs,
        Instant oldestSubmit,
        Duration walltime,
        List<String> sites,
        Set<String> features,
        Map<String, Duration> stageInRest,
        List<LaunchRecord> history) {
    public Demand {
        if (nodes < 1 || jobs < 1) {
            throw new IllegalArgumentException("a demand has at least one job of one node: " + shape);
        }
        sites = List.copyOf(sites);
        features = Set.copyOf(features);
        stageInRest = Map.copyOf(stageInRest);
        history = List.copyOf(history);
    }
}
