package org.spillway.policy.builtin;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Planner;
import org.spillway.policy.ScalingPolicy;
import org.spillway.policy.Wish;

/**
 * As many nodes as the queue needs now: buys for all that waits and finds no room, and releases what is idle for a while
 * and not needed. A site whose input is still on its way is bought in only when the rest takes no longer than a boot.
 */
public final class QueueDepthPolicy implements ScalingPolicy<QueueDepthSettings> {
    @Override
    public String name() {
        return "queue-depth";
    }

    @Override
    public QueueDepthSettings defaults() {
        return QueueDepthSettings.DEFAULTS;
    }

    @Override
    public Optional<Instant> nextChange(ClusterSnapshot now, QueueDepthSettings settings) {
        return Waking.first(now, Waking.idle(now, settings.idleTime()));
    }

    @Override
    public List<Wish> decide(ClusterSnapshot now, QueueDepthSettings settings, Planner planner) {
        Growth growth = new Growth(now, planner, settings.maxNodesPerTick());
        growth.buy(growth.due());
        return growth.releasing(settings.idleTime());
    }
}
