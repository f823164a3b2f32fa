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
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Planner;
import org.spillway.policy.RunCost;
import org.spillway.policy.ScalingPolicy;
import org.spillway.policy.Wish;

/**
 * The least of money and time, with a price on waiting. A job is worth {@code valueOfHour} for each hour that it ends
 * earlier. What it would cost in the cloud, divided by that, is how much longer it may wait for a node at home; those jobs
 * of a shape that start there within that time wait, and nodes are bought for the others. Of several offerings the one
 * with the least price of run, transfer, expected loss and time comes first. Where nobody knows when a node at home will
 * be free, as for a job that is bound to a site in the cloud, this buys at once.
 *
 * <p>Complexity: shapes x (offerings + groups of alike nodes at home) besides the planner's packing.
 */
public final class CostFirstPolicy implements ScalingPolicy<CostFirstSettings> {
    private static final double SECONDS_PER_HOUR = 3600;

    @Override
    public String name() {
        return "cost-first";
    }

    @Override
    public CostFirstSettings defaults() {
        return CostFirstSettings.DEFAULTS;
    }

    @Override
    public Optional<Instant> nextChange(ClusterSnapshot now, CostFirstSettings settings) {
        // As time goes by home serves more of what waits, never less.
        return Waking.first(
                now,
                Stream.concat(
                        Waking.idle(now, settings.idleTime()),
                        settings.mostWait().isZero() ? Stream.of() : Waking.age(now, settings.mostWait())));
    }

    @Override
    public List<Wish> decide(ClusterSnapshot now, CostFirstSettings settings, Planner planner) {
        Growth growth = new Growth(now, planner, settings.maxNodesPerTick());
        HomeRoom home = new HomeRoom(now);
        if (home.isEmpty()) {
            growth.buy(growth.due(), now.nodes(), waiting -> cheapest(now, waiting, settings, planner, growth));
            return growth.releasing(settings.idleTime());
        }
        Map<String, Demand> due = new HashMap<>();
        growth.due().forEach(demand -> due.put(demand.shape(), demand));
        List<Offering> usable = growth.usable();
        List<Demand> burst = new ArrayList<>();
        for (Demand demand : planner.byImportance(now)) {
            Demand ready = due.get(demand.shape());
            Optional<RunCost> cloud = ready == null ? Optional.empty() : best(ready, usable, settings, planner, growth);
            Duration expected = demand.terms().expected();
            Duration reckoned = Duration.ofMillis(expected.toMillis() * settings.runPercent() / 100);
            Duration patience = cloud.map(cost -> patience(cost, expected, settings))
                    .map(time -> atMost(time, demand, now, settings.mostWait()))
                    .orElse(RunCost.LONGEST);
            int waits = home.take(demand, patience, reckoned);
            if (ready != null && waits < demand.jobs()) {
                burst.add(ready.withJobs(demand.jobs() - waits));
            } else if (ready != null) {
                growth.hold(ready, waitText(patience, cloud));
            }
        }
        List<NodeView> bought =
                now.nodes().stream().filter(node -> !HomeRoom.isHome(node)).toList();
        growth.buy(burst, bought, waiting -> cheapest(now, waiting, settings, planner, growth));
        return growth.releasing(settings.idleTime());
    }

    private static Duration atMost(Duration patience, Demand demand, ClusterSnapshot now, Duration mostWait) {
        if (mostWait.isZero()) {
            return patience;
        }
        Duration left = Duration.between(now.now(), demand.oldestSubmit().plus(mostWait));
        return left.compareTo(patience) < 0 ? left : patience;
    }

    /** How long a job may wait for home before the cloud, all in all, is the better place. */
    private static Duration patience(RunCost cloud, Duration expected, CostFirstSettings settings) {
        if (settings.valueOfHour().micros() == 0) {
            return RunCost.LONGEST;
        }
        Duration late = cloud.untilEnd().minus(expected);
        double hours = (double) cloud.total().micros() / settings.valueOfHour().micros();
        double seconds = Math.min(hours * SECONDS_PER_HOUR, (double) RunCost.LONGEST.toSeconds());
        return late.plusSeconds((long) seconds);
    }

    private static Optional<RunCost> best(
            Demand demand, List<Offering> usable, CostFirstSettings settings, Planner planner, Growth growth) {
        return usable.stream()
                .filter(offering -> Growth.fits(demand, offering))
                .map(offering -> planner.cost(demand, offering, growth.status(offering.id())))
                .min(Comparator.comparingDouble(cost -> objective(cost, settings)));
    }

    /** Money, time counted as money. An estimate for comparing, never a sum that is paid. */
    private static double objective(RunCost cost, CostFirstSettings settings) {
        double hours = cost.untilEnd().toSeconds() / SECONDS_PER_HOUR;
        return cost.total().micros() + hours * settings.valueOfHour().micros();
    }

    private static Comparator<OfferingId> cheapest(
            ClusterSnapshot now, List<Demand> waiting, CostFirstSettings settings, Planner planner, Growth growth) {
        Map<OfferingId, Double> objectives = new HashMap<>();
        if (!waiting.isEmpty()) {
            Demand demand = waiting.getFirst();
            for (Offering offering : now.offerings()) {
                RunCost cost = planner.cost(demand, offering, growth.status(offering.id()));
                objectives.put(offering.id(), objective(cost, settings));
            }
        }
        return Comparator.comparingDouble(id -> objectives.getOrDefault(id, 0.0));
    }

    private static String waitText(Duration patience, Optional<RunCost> cloud) {
        return cloud.map(cost -> "it would start at home within " + patience.toMinutes()
                        + " min, which is better than paying " + cost.total() + " for a run in the cloud")
                .orElse("it would start at home, and nothing that fits can be bought now");
    }
}
