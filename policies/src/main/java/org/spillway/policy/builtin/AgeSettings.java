package org.spillway.policy.builtin;

import java.time.Duration;
import org.spillway.policy.HasIdleTime;
import org.spillway.policy.Setting;

/**
 * @param queueLengthThreshold jobs that must wait in a queue before nodes are bought for it, 0 or more; default 0
 * @param ageThreshold how long the oldest job of a shape must have waited before nodes are bought for it, 0 or more;
 *     default 0
 * @param workloadsPerNode jobs of one node that share a node; 0, the default, for as many as fit
 * @param extraNodes nodes bought beside the first of a site, 0 or more; default 0
 * @param idleTime how long a node is idle and unneeded before it is released, 0 or more; default 300 s
 * @param maxNodesPerTick nodes wished for in one tick in sum, 1 or more; default 1000
 */
public record AgeSettings(
        @Setting("jobs that must wait in a queue before nodes are bought for it; 0 or more")
        int queueLengthThreshold,

        @Setting("how long the oldest job of a shape must have waited before nodes are bought for it; 0s or more")
        Duration ageThreshold,

        @Setting("one-node jobs that are reckoned to share a new node; 0 for as many as fit, to 1000")
        int workloadsPerNode,

        @Setting("nodes bought for no job, together with the first nodes of a site; 0 to 1000")
        int extraNodes,

        @Setting("how long a bought node is idle and unneeded before it is released; 0s or more")
        Duration idleTime,

        @Setting("the most nodes wished for in one tick, in sum; 1 or more")
        int maxNodesPerTick)
        implements HasIdleTime {
    public static final AgeSettings DEFAULTS = new AgeSettings(0, Duration.ZERO, 0, 0, Duration.ofSeconds(300), 1000);

    public AgeSettings {
        Check.atLeast("queueLengthThreshold", 0, queueLengthThreshold);
        Check.notNegative("ageThreshold", ageThreshold);
        Check.within("workloadsPerNode", 0, 1000, workloadsPerNode);
        Check.within("extraNodes", 0, 1000, extraNodes);
        Check.notNegative("idleTime", idleTime);
        Check.atLeast("maxNodesPerTick", 1, maxNodesPerTick);
    }

    /** Only the two thresholds, all else at its default. */
    public static AgeSettings thresholds(int queueLength, Duration age) {
        return new AgeSettings(
                queueLength,
                age,
                DEFAULTS.workloadsPerNode,
                DEFAULTS.extraNodes,
                DEFAULTS.idleTime,
                DEFAULTS.maxNodesPerTick);
    }
}
