package org.spillway.policy.builtin;

import java.time.Duration;
import org.spillway.policy.HasIdleTime;
import org.spillway.policy.Setting;

/**
 * @param idleTime how long a node is idle, unneeded and in no open window before it is released; default 300 s
 * @param maxNodesPerTick nodes wished for in one tick in sum, 1 or more; default 1000
 */
public record ScheduleSettings(
        @Setting(
                "how long a bought node is idle, unneeded and wanted by no open window before it is released; 0s or more")
        Duration idleTime,

        @Setting("the most nodes wished for in one tick, in sum; 1 or more")
        int maxNodesPerTick)
        implements HasIdleTime {
    public static final ScheduleSettings DEFAULTS = new ScheduleSettings(Duration.ofSeconds(300), 1000);

    public ScheduleSettings {
        Check.notNegative("idleTime", idleTime);
        Check.atLeast("maxNodesPerTick", 1, maxNodesPerTick);
    }
}
