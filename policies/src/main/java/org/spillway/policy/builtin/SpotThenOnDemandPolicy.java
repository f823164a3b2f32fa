package org.spillway.policy.builtin;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchRecord;
import org.spillway.policy.Market;
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Planner;
import org.spillway.policy.ScalingPolicy;
import org.spillway.policy.Wish;

/**
 * Climbs from cheap to certain: spot capacity of the cheapest type that fits in the preferred site, in any zone; then of
 * all types there; then on demand; then the further sites. Each step stays open when the next one is reached, and is
 * preferred to it. A reservation is paid anyway and belongs to the first step. The time counts from the oldest job's
 * submission, or from the last launch for its shape that was granted in full: capacity that came is no reason to climb.
 */
public final class SpotThenOnDemandPolicy implements ScalingPolicy<SpotThenOnDemandSettings> {
    private static final int ON_DEMAND = 2;
    private static final int LAST = 3;

    @Override
    public String name() {
        return "spot-then-on-demand";
    }

    @Override
    public SpotThenOnDemandSettings defaults() {
        return SpotThenOnDemandSettings.DEFAULTS;
    }

    @Override
    public Optional<Instant> nextChange(ClusterSnapshot now, SpotThenOnDemandSettings settings) {
        Stream<Instant> steps = now.demands().stream()
                .flatMap(demand -> Stream.of(
                                settings.nextTypeAfter(), settings.onDemandAfter(), settings.nextSiteAfter())
                        .map(since(demand)::plus));
        return Waking.first(now, Stream.concat(Waking.idle(now, settings.idleTime()), steps));
    }

    @Override
    public List<Wish> decide(ClusterSnapshot now, SpotThenOnDemandSettings settings, Planner planner) {
        Growth growth = new Growth(now, planner, settings.maxNodesPerTick());
        List<Demand> due = growth.due();
        Planner.Packing there = planner.pack(due, now.nodes(), List.of());
        Map<Map<OfferingId, Integer>, List<Demand>> ladders = new LinkedHashMap<>();
        for (Demand demand : due) {
            int jobs = demand.jobs() - there.onExisting().getOrDefault(demand.shape(), 0) / demand.nodes();
            if (jobs == 0) {
                continue;
            }
            Map<OfferingId, Integer> steps = open(demand, now, settings, growth);
            if (steps.isEmpty() && now.offerings().stream().anyMatch(offering -> Growth.fits(demand, offering))) {
                growth.hold(demand, "nothing that fits is offered as cheaply as it is tried since " + since(demand));
            } else {
                ladders.computeIfAbsent(steps, key -> new ArrayList<>()).add(demand.withJobs(jobs));
            }
        }
        List<NodeView> room = without(now.nodes(), there.nodesUsed());
        for (Map.Entry<Map<OfferingId, Integer>, List<Demand>> ladder : ladders.entrySet()) {
            Map<OfferingId, Integer> steps = ladder.getKey();
            List<Offering> open = now.offerings().stream()
                    .filter(offering -> steps.containsKey(offering.id()))
                    .toList();
            List<Offering> usable = growth.usable().stream()
                    .filter(offering -> steps.containsKey(offering.id()))
                    .toList();
            Comparator<OfferingId> lowest = Comparator.comparing(id -> steps.getOrDefault(id, LAST));
            room = without(room, growth.buy(ladder.getValue(), room, usable, open, waiting -> lowest));
        }
        return growth.releasing(settings.idleTime());
    }

    private static List<NodeView> without(List<NodeView> nodes, Set<String> used) {
        return nodes.stream().filter(node -> !used.contains(node.id())).toList();
    }

    /** The offerings that may be tried for this demand now, each with its step. */
    private static Map<OfferingId, Integer> open(
            Demand demand, ClusterSnapshot now, SpotThenOnDemandSettings settings, Growth growth) {
        Map<OfferingId, Integer> steps = new HashMap<>();
        now.offerings().stream()
                .filter(offering -> Growth.fits(demand, offering))
                .forEach(offering -> steps.put(offering.id(), step(demand, offering, now)));
        int reached = reached(now.now(), since(demand), settings);
        if (demand.features().contains(Market.SPOT.without())) {
            // Nothing is waited for that it may not have.
            reached = Math.max(reached, ON_DEMAND);
        }
        if (settings.skipShort()) {
            Set<OfferingId> usable = growth.usable().stream().map(Offering::id).collect(Collectors.toSet());
            int lowest = IntStream.rangeClosed(0, LAST)
                    .filter(step -> steps.entrySet().stream()
                            .anyMatch(entry -> entry.getValue() == step && usable.contains(entry.getKey())))
                    .findFirst()
                    .orElse(LAST);
            reached = Math.max(reached, lowest);
        }
        int most = reached;
        steps.values().removeIf(step -> step > most);
        return steps;
    }

    private static Instant since(Demand demand) {
        return demand.history().stream()
                .filter(record -> record.outcome() instanceof LaunchOutcome.Launched launched
                        && launched.count() >= record.asked())
                .map(LaunchRecord::at)
                .filter(at -> at.isAfter(demand.oldestSubmit()))
                .max(Comparator.naturalOrder())
                .orElse(demand.oldestSubmit());
    }

    private static int reached(Instant now, Instant since, SpotThenOnDemandSettings settings) {
        if (!now.isBefore(since.plus(settings.nextSiteAfter()))) {
            return LAST;
        } else if (!now.isBefore(since.plus(settings.onDemandAfter()))) {
            return ON_DEMAND;
        }
        return now.isBefore(since.plus(settings.nextTypeAfter())) ? 0 : 1;
    }

    private static int step(Demand demand, Offering offering, ClusterSnapshot now) {
        if (!demand.sites().getFirst().equals(offering.id().site())) {
            return LAST;
        }
        return switch (offering.id().market()) {
            case RESERVED -> 0;
            case ON_DEMAND -> ON_DEMAND;
            case SPOT ->
                cheapestSpotType(demand, now)
                                .filter(offering.id().instanceType()::equals)
                                .isPresent()
                        ? 0
                        : 1;
        };
    }

    private static Optional<String> cheapestSpotType(Demand demand, ClusterSnapshot now) {
        return now.offerings().stream()
                .filter(offering -> offering.id().market() == Market.SPOT
                        && offering.id().site().equals(demand.sites().getFirst())
                        && Growth.fits(demand, offering))
                .min(Comparator.comparing(Offering::pricePerHour).thenComparing(Offering::id))
                .map(offering -> offering.id().instanceType());
    }
}
