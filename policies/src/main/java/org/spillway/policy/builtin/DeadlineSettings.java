package org.spillway.policy.builtin;

import java.time.Duration;
import org.spillway.policy.HasIdleTime;
import org.spillway.policy.Setting;

/**
 * @param slack how long before the last moment nodes are bought, 0 or more; default 10 min
 * @param patience how long jobs without a deadline wait for a node that is there before one is bought; default 30 min
 * @param idleTime how long a node is idle and unneeded before it is released, 0 or more; default 300 s
 * @param maxNodesPerTick nodes wished for in one tick in sum, 1 or more; default 1000
 */
public record DeadlineSettings(
        @Setting("how long before the last moment that still keeps a deadline nodes are bought; 0s or more")
        Duration slack,

        @Setting("how long jobs without a deadline wait for home before nodes are bought for them; 0s or more")
        Duration patience,

        @Setting("how long a bought node is idle and unneeded before it is released; 0s or more")
        Duration idleTime,

        @Setting("the most nodes wished for in one tick, in sum; 1 or more")
        int maxNodesPerTick)
        implements HasIdleTime {
    public static final DeadlineSettings DEFAULTS =
            new DeadlineSettings(Duration.ofMinutes(10), Duration.ofMinutes(30), Duration.ofSeconds(300), 1000);

    public DeadlineSettings {
        Check.notNegative("slack", slack);
        Check.notNegative("patience", patience);
        Check.notNegative("idleTime", idleTime);
        Check.atLeast("maxNodesPerTick", 1, maxNodesPerTick);
    }
}
