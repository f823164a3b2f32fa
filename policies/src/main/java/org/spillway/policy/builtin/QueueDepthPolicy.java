package org.spillway.policy.builtin;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.policy.Planner;
import org.spillway.policy.ScalingPolicy;
import org.spillway.policy.Wish;

/**
 * As many nodes as the queue needs now: buys for all that waits and finds no room, and releases what is idle for a while
 * and not needed. A site whose input is still on its way is bought in only when the rest takes no longer than a boot.
 */
public final class QueueDepthPolicy implements ScalingPolicy<QueueDepthSettings> {
    private static final Duration BOOT_UNKNOWN = Duration.ofSeconds(60);

    @Override
    public String name() {
        return "queue-depth";
    }

    @Override
    public QueueDepthSettings defaults() {
        return QueueDepthSettings.DEFAULTS;
    }

    @Override
    public List<Wish> decide(ClusterSnapshot now, QueueDepthSettings settings, Planner planner) {
        Map<OfferingId, OfferingStatus> statuses = new HashMap<>();
        now.statuses().forEach(status -> statuses.put(status.id(), status));
        List<Wish> wishes = new ArrayList<>();
        List<Demand> due = due(now, statuses, wishes);
        List<Offering> usable = usable(now, statuses);
        Planner.Packing packing = planner.pack(due, now.nodes(), usable);
        Map<String, Demand> byShape = new HashMap<>();
        now.demands().forEach(demand -> byShape.put(demand.shape(), demand));
        provide(packing.bought(), settings.maxNodesPerTick(), byShape, wishes);

        // What nothing usable can hold is asked of everything, so that the host says what keeps each offering out.
        List<Demand> unplaced = due.stream()
                .filter(demand -> packing.unplaced().containsKey(demand.shape()))
                .toList();
        if (!unplaced.isEmpty()) {
            Planner.Packing anywhere = planner.pack(unplaced, List.of(), now.offerings());
            provide(anywhere.bought(), Integer.MAX_VALUE, byShape, wishes);
            new TreeMap<>(anywhere.unplaced()).forEach((shape, reason) -> wishes.add(new Wish.Hold(shape, reason)));
        }
        release(now, settings.idleTime(), needed(now, packing, planner), wishes);
        return wishes;
    }

    /** Demands with the sites that their input reaches in time; the others are held. */
    private static List<Demand> due(ClusterSnapshot now, Map<OfferingId, OfferingStatus> statuses, List<Wish> wishes) {
        Map<String, Duration> bootBySite = new HashMap<>();
        for (Offering offering : now.offerings()) {
            OfferingStatus status = statuses.get(offering.id());
            bootBySite.merge(
                    offering.id().site(),
                    status == null ? BOOT_UNKNOWN : status.bootEstimate(),
                    (a, b) -> a.compareTo(b) > 0 ? a : b);
        }
        List<Demand> due = new ArrayList<>();
        for (Demand demand : now.demands()) {
            List<String> sites = demand.sites().stream()
                    .filter(site -> rest(demand, site).compareTo(bootBySite.getOrDefault(site, BOOT_UNKNOWN)) <= 0)
                    .toList();
            if (sites.isEmpty() && !demand.sites().isEmpty()) {
                wishes.add(new Wish.Hold(demand.shape(), inputText(demand)));
            } else {
                due.add(at(demand, sites));
            }
        }
        return due;
    }

    private static Duration rest(Demand demand, String site) {
        return demand.stageInRest().getOrDefault(site, Duration.ZERO);
    }

    private static String inputText(Demand demand) {
        String site = demand.sites().stream()
                .min(Comparator.comparing(name -> rest(demand, name)))
                .orElseThrow();
        return "input needs about " + rest(demand, site).toSeconds() + " s more to reach site " + site
                + ", longer than a node needs to boot";
    }

    private static Demand at(Demand demand, List<String> sites) {
        return new Demand(
                demand.shape(),
                demand.queue(),
                demand.perNode(),
                demand.nodes(),
                demand.jobs(),
                demand.oldestSubmit(),
                demand.walltime(),
                sites,
                demand.features(),
                demand.stageInRest(),
                demand.history());
    }

    private static List<Offering> usable(ClusterSnapshot now, Map<OfferingId, OfferingStatus> statuses) {
        Map<String, Integer> nodes = new HashMap<>();
        now.nodes().forEach(node -> nodes.merge(node.site(), 1, Integer::sum));
        return now.offerings().stream()
                .filter(offering -> {
                    OfferingStatus status = statuses.get(offering.id());
                    String site = offering.id().site();
                    return (status == null || status.mayLaunchAt(now.now()))
                            && nodes.getOrDefault(site, 0)
                                    < now.limits().maxNodesBySite().getOrDefault(site, 0);
                })
                .toList();
    }

    private static void provide(
            List<Planner.Bought> bought, int mostNodes, Map<String, Demand> byShape, List<Wish> wishes) {
        int left = mostNodes;
        for (Planner.Bought one : bought) {
            List<Demand> waiting = one.shapes().stream()
                    .filter(byShape::containsKey)
                    .map(byShape::get)
                    .toList();
            int gang = Math.min(
                    one.count(), waiting.stream().mapToInt(Demand::nodes).min().orElse(1));
            int count = one.count() <= left ? one.count() : left - left % gang;
            if (count == 0) {
                String most = "at most " + mostNodes + " nodes are launched in one tick (maxNodesPerTick)";
                one.shapes().forEach(shape -> wishes.add(new Wish.Hold(shape, most)));
                continue;
            }
            wishes.add(new Wish.Provision(one.shapes(), one.offerings(), count, waitText(waiting)));
            left -= count;
        }
    }

    private static String waitText(List<Demand> waiting) {
        long jobs = waiting.stream().mapToLong(Demand::jobs).sum();
        Instant oldest = waiting.stream()
                .map(Demand::oldestSubmit)
                .min(Comparator.naturalOrder())
                .orElse(Instant.EPOCH);
        return jobs == 1 ? "1 job waits since " + oldest : jobs + " jobs wait, the oldest since " + oldest;
    }

    /** Also what is needed by jobs whose input is still on its way: released now, it would be bought again. */
    private static Set<String> needed(ClusterSnapshot now, Planner.Packing packing, Planner planner) {
        Set<String> needed = new HashSet<>(packing.nodesUsed());
        needed.addAll(planner.pack(now.demands(), now.nodes(), List.of()).nodesUsed());
        return needed;
    }

    private static void release(ClusterSnapshot now, Duration idleTime, Set<String> needed, List<Wish> wishes) {
        Instant latest = now.now().minus(idleTime);
        now.nodes().stream()
                .filter(node -> node.phase() == NodeView.Phase.IDLE
                        && node.offering() != null
                        && !node.keep()
                        && !needed.contains(node.id())
                        && !node.since().isAfter(latest))
                .sorted(Comparator.comparing(NodeView::id))
                .forEach(node -> wishes.add(new Wish.Release(
                        List.of(node.id()),
                        "idle since " + node.since() + ", longer than " + idleTime.toSeconds()
                                + " s, and nothing that waits needs it")));
    }
}
