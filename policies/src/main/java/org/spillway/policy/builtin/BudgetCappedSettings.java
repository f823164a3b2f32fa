package org.spillway.policy.builtin;

import java.time.Duration;
import org.spillway.policy.HasIdleTime;
import org.spillway.policy.Setting;

/**
 * @param slice the length of time that gets its equal part of the budget at its beginning; default hour
 * @param headStartPercent of the whole budget that may be spent before its time, 0 to 100; default 10
 * @param idleTime how long a node is idle and unneeded before it is released, 0 or more; default 300 s
 * @param maxNodesPerTick nodes wished for in one tick in sum, 1 or more; default 1000
 */
public record BudgetCappedSettings(
        @Setting("the length of time that gets its equal part of the budget when it begins")
        Slice slice,

        @Setting("the part of the whole budget that may be spent before its time, in percent; 0 to 100")
        int headStartPercent,

        @Setting("how long a bought node is idle and unneeded before it is released; 0s or more")
        Duration idleTime,

        @Setting("the most nodes wished for in one tick, in sum; 1 or more")
        int maxNodesPerTick)
        implements HasIdleTime {
    public static final BudgetCappedSettings DEFAULTS =
            new BudgetCappedSettings(Slice.HOUR, 10, Duration.ofSeconds(300), 1000);

    public BudgetCappedSettings {
        Check.within("headStartPercent", 0, 100, headStartPercent);
        Check.notNegative("idleTime", idleTime);
        Check.atLeast("maxNodesPerTick", 1, maxNodesPerTick);
    }

    /** How finely a budget is given out. */
    public enum Slice {
        HOUR(Duration.ofHours(1)),
        DAY(Duration.ofDays(1));

        private final Duration length;

        Slice(Duration length) {
            this.length = length;
        }

        Duration length() {
            return length;
        }
    }
}
