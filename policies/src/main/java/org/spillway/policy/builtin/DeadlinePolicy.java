package org.spillway.policy.builtin;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Planner;
import org.spillway.policy.RunCost;
import org.spillway.policy.ScalingPolicy;
import org.spillway.policy.Wish;

/**
 * Least laxity first: the laxity of a job is what is left until its deadline after boot, the rest of its input and the
 * expected run. Nodes are bought when it is down to {@code slack}; until then a job waits for a node that is there, at home
 * or bought for others. A deadline that cannot be kept any more is bought for at once: less late is better. A job without
 * one is bought for when it has waited for {@code patience}.
 *
 * <p>The order is that of M. L. Dertouzos and A. K. Mok, Multiprocessor on-line scheduling of hard-real-time tasks, 1989.
 */
public final class DeadlinePolicy implements ScalingPolicy<DeadlineSettings> {
    @Override
    public String name() {
        return "deadline";
    }

    @Override
    public DeadlineSettings defaults() {
        return DeadlineSettings.DEFAULTS;
    }

    @Override
    public Optional<Instant> nextChange(ClusterSnapshot now, DeadlineSettings settings) {
        return Waking.first(
                now,
                Stream.concat(
                        Waking.idle(now, settings.idleTime()),
                        now.demands().stream().map(demand -> buyAt(demand, now, settings))));
    }

    @Override
    public List<Wish> decide(ClusterSnapshot now, DeadlineSettings settings, Planner planner) {
        Growth growth = new Growth(now, planner, settings.maxNodesPerTick());
        Map<String, Instant> buyAt = new HashMap<>();
        List<Demand> due = growth.due();
        due.forEach(demand -> buyAt.put(demand.shape(), buyAt(demand, now, settings)));
        List<Demand> urgent = new ArrayList<>();
        for (Demand demand : due) {
            Instant at = at(buyAt, demand);
            if (at.isAfter(now.now())) {
                growth.hold(
                        demand,
                        demand.terms().deadline() == null
                                ? "without a deadline, nodes are bought when it has waited until " + at + " (patience)"
                                : "its deadline " + demand.terms().deadline() + " is kept by nodes bought at " + at);
            } else {
                urgent.add(demand);
            }
        }
        growth.buy(urgent);
        Comparator<Demand> leastLaxity = Comparator.comparing(demand -> at(buyAt, demand));
        growth.sort(leastLaxity.thenComparing(Demand::oldestSubmit));
        return growth.releasing(settings.idleTime());
    }

    private static Instant at(Map<String, Instant> buyAt, Demand demand) {
        return buyAt.getOrDefault(demand.shape(), Instant.MIN);
    }

    /** The moment from which nodes are bought: the laxity is then the slack. */
    private static Instant buyAt(Demand demand, ClusterSnapshot now, DeadlineSettings settings) {
        Instant deadline = demand.terms().deadline();
        if (deadline == null) {
            return demand.oldestSubmit().plus(settings.patience());
        }
        Map<OfferingId, Duration> boots = new HashMap<>();
        now.statuses().forEach(status -> boots.put(status.id(), status.bootEstimate()));
        Duration start = now.offerings().stream()
                .filter(offering -> Growth.fits(demand, offering))
                .map(offering -> longer(
                        boots.getOrDefault(offering.id(), RunCost.BOOT_UNKNOWN),
                        Growth.rest(demand, offering.id().site())))
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
        return deadline.minus(demand.terms().expected()).minus(start).minus(settings.slack());
    }

    private static Duration longer(Duration a, Duration b) {
        return a.compareTo(b) > 0 ? a : b;
    }
}
