package org.spillway.policy.builtin;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Planner;
import org.spillway.policy.ScalingPolicy;
import org.spillway.policy.ScheduleWindow;
import org.spillway.policy.Wish;

/**
 * Nodes by the clock: while a window is open, there are at least its nodes, busy or not. It buys for no job, so it stands
 * in a chain before a policy that does. Overlapping windows do not add up: each is served by what is there.
 */
public final class SchedulePolicy implements ScalingPolicy<ScheduleSettings> {
    @Override
    public String name() {
        return "schedule";
    }

    @Override
    public ScheduleSettings defaults() {
        return ScheduleSettings.DEFAULTS;
    }

    @Override
    public Optional<Instant> nextChange(ClusterSnapshot now, ScheduleSettings settings) {
        // When a window opens is not for the policy to know: it hears of it when it is open.
        return Waking.first(
                now,
                Stream.concat(
                        Waking.idle(now, settings.idleTime()),
                        now.windows().stream().map(ScheduleWindow::closes)));
    }

    @Override
    public List<Wish> decide(ClusterSnapshot now, ScheduleSettings settings, Planner planner) {
        Growth growth = new Growth(now, planner, settings.maxNodesPerTick());
        growth.wishes().addAll(Windows.missing(now, growth.usable(), settings.maxNodesPerTick()));
        Set<String> serving = Windows.serving(now);
        List<Wish> wishes = growth.releasing(settings.idleTime());
        wishes.removeIf(wish -> wish instanceof Wish.Release release && serving.containsAll(release.nodes()));
        return wishes;
    }
}
