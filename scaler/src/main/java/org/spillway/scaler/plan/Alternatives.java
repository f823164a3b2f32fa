package org.spillway.scaler.plan;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.policy.Resources;

/**
 * Launches that could have been made instead of the chosen one, for whoever asks later. Worked out from the snapshot
 * alone.
 *
 * <p>Each offering that can hold the launch's shapes is priced for as many job slots of its first shape and as long as
 * the launch. O(launches x offerings).
 *
 * @param chosen what was launched
 * @param count nodes that were launched
 * @param cost of all of them, for the time that they are reserved for
 * @param others the cheapest first, at most {@link #MOST_NAMED}
 * @param more how many further ones could hold the jobs
 */
public record Alternatives(OfferingId chosen, int count, Money cost, List<Other> others, int more) {
    /** Offerings that are named for one launch. */
    public static final int MOST_NAMED = 5;

    private static final int MOST_LAUNCHES = 100;

    public Alternatives {
        others = List.copyOf(others);
    }

    /**
     * @param count nodes of it that the same jobs need
     * @param cost of those, for the same time
     * @param why it was not taken
     */
    public record Other(OfferingId offering, int count, Money cost, String why) {}

    /** Of each launch of a plan for which jobs wait, in the plan's order, at most the first 100. */
    public static List<Alternatives> of(ClusterSnapshot snapshot, Plan plan) {
        Map<String, Demand> demands = new HashMap<>();
        snapshot.demands().forEach(demand -> demands.put(demand.shape(), demand));
        Map<OfferingId, OfferingStatus> statuses = new HashMap<>();
        snapshot.statuses().forEach(status -> statuses.put(status.id(), status));
        List<Alternatives> all = new ArrayList<>();
        for (Step step : plan.steps()) {
            if (step instanceof Step.Launch launch && all.size() < MOST_LAUNCHES) {
                List<Demand> waiting = launch.shapes().stream()
                        .filter(demands::containsKey)
                        .map(demands::get)
                        .toList();
                all.add(of(snapshot, launch, waiting, statuses));
            }
        }
        return all;
    }

    private static Alternatives of(
            ClusterSnapshot snapshot,
            Step.Launch launch,
            List<Demand> waiting,
            Map<OfferingId, OfferingStatus> statuses) {
        List<Other> others = new ArrayList<>();
        Offering chosen = snapshot.offerings().stream()
                .filter(offering -> offering.id().equals(launch.offering()))
                .findFirst()
                .orElse(null);
        if (chosen != null && !waiting.isEmpty()) {
            Demand first = waiting.getFirst();
            Duration time = waiting.stream()
                    .map(Demand::walltime)
                    .max(Comparator.naturalOrder())
                    .orElseThrow();
            long slots = Math.min(
                    (long) launch.count() * slots(first, chosen.resources()), (long) first.jobs() * first.nodes());
            for (Offering offering : snapshot.offerings()) {
                if (!offering.equals(chosen) && waiting.stream().allMatch(demand -> holds(demand, offering))) {
                    Other other = other(
                            offering, slots, first, time, statuses.get(offering.id()), snapshot, launch.committed());
                    if (other != null) {
                        others.add(other);
                    }
                }
            }
        }
        others.sort(Comparator.comparing(Other::cost).thenComparing(Other::offering));
        return new Alternatives(
                launch.offering(),
                launch.count(),
                launch.committed(),
                others.subList(0, Math.min(others.size(), MOST_NAMED)),
                Math.max(0, others.size() - MOST_NAMED));
    }

    private static boolean holds(Demand demand, Offering offering) {
        return demand.sites().contains(offering.id().site())
                && offering.features().containsAll(demand.features())
                && demand.perNode().fitsIn(offering.resources());
    }

    private static @Nullable Other other(
            Offering offering,
            long slots,
            Demand demand,
            Duration time,
            @Nullable OfferingStatus status,
            ClusterSnapshot snapshot,
            Money chosenCost) {
        long each = slots(demand, offering.resources());
        long count = Math.max(1, (slots + each - 1) / each);
        Duration boot = status == null ? OfferingHealth.DEFAULT_BOOT : status.bootEstimate();
        Duration used = time.compareTo(LaunchGate.LONGEST_RESERVED) > 0 ? LaunchGate.LONGEST_RESERVED : time;
        try {
            Money cost = offering.pricePerHour().perHourFor(used.plus(boot)).times(count);
            return new Other(
                    offering.id(), Math.toIntExact(count), cost, why(offering, status, snapshot, cost, chosenCost));
        } catch (ArithmeticException tooLarge) {
            return null;
        }
    }

    private static String why(
            Offering offering,
            @Nullable OfferingStatus status,
            ClusterSnapshot snapshot,
            Money cost,
            Money chosenCost) {
        Instant now = snapshot.now();
        String shut = snapshot.breakers().stream()
                .filter(breaker ->
                        ClusterSnapshot.Breaker.namesOver(offering.id()).contains(breaker.name()))
                .map(breaker -> "a breaker is open: " + breaker.reason())
                .findFirst()
                .orElse("");
        if (!shut.isEmpty()) {
            return shut;
        }
        if (status != null && !status.mayLaunchAt(now)) {
            return status.reason().isEmpty() ? "it may not be launched now" : status.reason();
        }
        return cost.isMoreThan(chosenCost)
                ? "it costs " + cost.minus(chosenCost) + " more"
                : "the policy preferred what was launched";
    }

    /** How many job slots of that shape one node holds, 1 or more. */
    private static long slots(Demand demand, Resources offer) {
        Resources need = demand.perNode();
        long most = Long.MAX_VALUE;
        most = least(most, offer.cpus(), need.cpus());
        most = least(most, offer.memoryBytes(), need.memoryBytes());
        most = least(most, offer.gpus(), need.gpus());
        most = least(most, offer.localDiskBytes(), need.localDiskBytes());
        return most == Long.MAX_VALUE ? 1 : Math.max(1, most);
    }

    private static long least(long most, long offered, long needed) {
        return needed == 0 ? most : Math.min(most, offered / needed);
    }
}
