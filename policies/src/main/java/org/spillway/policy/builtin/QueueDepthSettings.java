package org.spillway.policy.builtin;

import java.time.Duration;

/**
 * @param idleTime how long a node is idle and unneeded before it is released, 0 or more; default 300 s
 * @param maxNodesPerTick nodes wished for in one tick in sum, 1 or more; default 1000
 */
public record QueueDepthSettings(Duration idleTime, int maxNodesPerTick) {
    public static final QueueDepthSettings DEFAULTS = new QueueDepthSettings(Duration.ofSeconds(300), 1000);

    public QueueDepthSettings {
        if (idleTime.isNegative()) {
            throw new IllegalArgumentException("idleTime is negative: " + idleTime);
        }
        if (maxNodesPerTick < 1) {
            throw new IllegalArgumentException("maxNodesPerTick is less than 1: " + maxNodesPerTick);
        }
    }
}
