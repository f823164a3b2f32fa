package org.spillway.policy.builtin;

import java.time.Duration;
import org.spillway.policy.HasIdleTime;
import org.spillway.policy.Money;
import org.spillway.policy.Setting;

/**
 * @param valueOfHour what an hour of one job's waiting is worth; 0 waits for home for ever; default 1.00
 * @param runPercent how long a job is reckoned to run at home, in percent of the expected time, 1 to 1000; default 100
 * @param mostWait a job that has waited for so long is bought for, whatever home promises; 0, the default, for never
 * @param idleTime how long a node is idle and unneeded before it is released, 0 or more; default 300 s
 * @param maxNodesPerTick nodes wished for in one tick in sum, 1 or more; default 1000
 */
public record CostFirstSettings(
        @Setting("what an hour of one job's waiting is worth, in the head's currency; 0 waits for home for ever")
        Money valueOfHour,

        @Setting("how long jobs are reckoned to run at home, in percent of their expected time; 1 to 1000")
        int runPercent,

        @Setting(
                "when the oldest job of a shape has waited so long, nodes are bought whatever home promises; 0s for never")
        Duration mostWait,

        @Setting("how long a bought node is idle and unneeded before it is released; 0s or more")
        Duration idleTime,

        @Setting("the most nodes wished for in one tick, in sum; 1 or more")
        int maxNodesPerTick)
        implements HasIdleTime {
    public static final CostFirstSettings DEFAULTS =
            new CostFirstSettings(Money.parse("1.00"), 100, Duration.ZERO, Duration.ofSeconds(300), 1000);

    public CostFirstSettings {
        Check.notNegative("valueOfHour", valueOfHour);
        Check.within("runPercent", 1, 1000, runPercent);
        Check.notNegative("mostWait", mostWait);
        Check.notNegative("idleTime", idleTime);
        Check.atLeast("maxNodesPerTick", 1, maxNodesPerTick);
    }
}
