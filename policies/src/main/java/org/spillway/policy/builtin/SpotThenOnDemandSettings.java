package org.spillway.policy.builtin;

import java.time.Duration;
import org.spillway.policy.HasIdleTime;
import org.spillway.policy.Setting;

/**
 * All times count from the oldest job's submission, or from the last launch for its shape that was granted in full. Each is
 * at least as long as the one before it.
 *
 * @param nextTypeAfter when further instance types are tried, 0 or more; default 5 min
 * @param onDemandAfter when on-demand capacity is tried too; default 10 min
 * @param nextSiteAfter when further sites are tried, all types and markets; default 20 min
 * @param skipShort whether a rung on which nothing can be had now is skipped at once; default true
 * @param idleTime how long a node is idle and unneeded before it is released, 0 or more; default 300 s
 * @param maxNodesPerTick nodes wished for in one tick in sum, 1 or more; default 1000
 */
public record SpotThenOnDemandSettings(
        @Setting("when spot capacity of further instance types is tried too; 0s or more")
        Duration nextTypeAfter,

        @Setting("when on-demand capacity is tried too; nextTypeAfter or more")
        Duration onDemandAfter,

        @Setting("when the queue's further sites are tried too; onDemandAfter or more")
        Duration nextSiteAfter,

        @Setting("whether a step on which nothing can be had now is skipped without waiting")
        boolean skipShort,

        @Setting("how long a bought node is idle and unneeded before it is released; 0s or more")
        Duration idleTime,

        @Setting("the most nodes wished for in one tick, in sum; 1 or more")
        int maxNodesPerTick)
        implements HasIdleTime {
    public static final SpotThenOnDemandSettings DEFAULTS = new SpotThenOnDemandSettings(
            Duration.ofMinutes(5), Duration.ofMinutes(10), Duration.ofMinutes(20), true, Duration.ofSeconds(300), 1000);

    public SpotThenOnDemandSettings {
        Check.notNegative("nextTypeAfter", nextTypeAfter);
        notBefore("onDemandAfter", onDemandAfter, "nextTypeAfter", nextTypeAfter);
        notBefore("nextSiteAfter", nextSiteAfter, "onDemandAfter", onDemandAfter);
        Check.notNegative("idleTime", idleTime);
        Check.atLeast("maxNodesPerTick", 1, maxNodesPerTick);
    }

    private static void notBefore(String key, Duration time, String earlierKey, Duration earlier) {
        if (time.compareTo(earlier) < 0) {
            throw new IllegalArgumentException(
                    key + " is " + time + ", shorter than " + earlierKey + " (" + earlier + ")");
        }
    }
}
