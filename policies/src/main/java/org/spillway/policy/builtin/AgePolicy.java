package org.spillway.policy.builtin;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.NodeView;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Planner;
import org.spillway.policy.ScalingPolicy;
import org.spillway.policy.Wish;

/**
 * The plain threshold policy: buys for a shape when at least {@code queueLengthThreshold} jobs wait in its queue and the
 * oldest job of the shape has waited for {@code ageThreshold}. Both must be reached; a threshold of 0 is always reached.
 * Then it buys for all jobs of the shape, not only for those that are old enough: a snapshot knows the age of the oldest
 * job of a shape, not of each. What waits for a threshold may start on nodes that are there, and keeps them from release.
 */
public final class AgePolicy implements ScalingPolicy<AgeSettings> {
    @Override
    public String name() {
        return "age";
    }

    @Override
    public AgeSettings defaults() {
        return AgeSettings.DEFAULTS;
    }

    @Override
    public Optional<Instant> nextChange(ClusterSnapshot now, AgeSettings settings) {
        return Waking.first(
                now, Stream.concat(Waking.idle(now, settings.idleTime()), Waking.age(now, settings.ageThreshold())));
    }

    @Override
    public List<Wish> decide(ClusterSnapshot now, AgeSettings settings, Planner planner) {
        Growth growth = new Growth(now, planner, settings.maxNodesPerTick());
        Map<String, Long> lengths = new HashMap<>();
        now.demands().forEach(demand -> lengths.merge(demand.queue(), (long) demand.jobs(), Long::sum));
        List<Demand> reached = new ArrayList<>();
        for (Demand demand : growth.due()) {
            long length = lengths.getOrDefault(demand.queue(), 0L);
            Instant old = demand.oldestSubmit().plus(settings.ageThreshold());
            if (length < settings.queueLengthThreshold()) {
                growth.hold(
                        demand,
                        length + " of " + settings.queueLengthThreshold() + " jobs wait in queue " + demand.queue()
                                + " (queueLengthThreshold)");
            } else if (now.now().isBefore(old)) {
                growth.hold(demand, "nodes are bought when it has waited until " + old + " (ageThreshold)");
            } else {
                reached.add(demand);
            }
        }
        growth.atMostPerNode(settings.workloadsPerNode());
        growth.buy(reached);
        extra(now, settings.extraNodes(), growth.wishes());
        return growth.releasing(settings.idleTime());
    }

    /** Beside the first nodes of a site that has none, of the same offerings. */
    private static void extra(ClusterSnapshot now, int count, List<Wish> wishes) {
        if (count == 0) {
            return;
        }
        Set<String> begun = new HashSet<>();
        now.nodes().stream()
                .filter(node -> node.offering() != null)
                .map(NodeView::site)
                .forEach(begun::add);
        for (Wish wish : List.copyOf(wishes)) {
            if (wish instanceof Wish.Provision first && !first.offerings().isEmpty()) {
                String site = first.offerings().getFirst().site();
                if (begun.add(site)) {
                    List<OfferingId> there = first.offerings().stream()
                            .filter(id -> id.site().equals(site))
                            .toList();
                    wishes.add(new Wish.Provision(
                            List.of(), there, count, "beside the first nodes of site " + site + " (extraNodes)"));
                }
            }
        }
    }
}
