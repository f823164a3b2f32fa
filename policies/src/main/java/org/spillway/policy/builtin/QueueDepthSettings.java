package org.spillway.policy.builtin;

import java.time.Duration;
import org.spillway.policy.HasIdleTime;
import org.spillway.policy.Setting;

/**
 * @param idleTime how long a node is idle and unneeded before it is released, 0 or more; default 300 s
 * @param maxNodesPerTick nodes wished for in one tick in sum, 1 or more; default 1000
 */
public record QueueDepthSettings(
        @Setting("how long a bought node is idle and unneeded before it is released; 0s or more")
        Duration idleTime,

        @Setting("the most nodes wished for in one tick, in sum; 1 or more")
        int maxNodesPerTick)
        implements HasIdleTime {
    public static final QueueDepthSettings DEFAULTS = new QueueDepthSettings(Duration.ofSeconds(300), 1000);

    public QueueDepthSettings {
        Check.notNegative("idleTime", idleTime);
        Check.atLeast("maxNodesPerTick", 1, maxNodesPerTick);
    }
}
