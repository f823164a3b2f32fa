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
        List<Offering> open = inSitesWithRoom(now);
        List<Offering> usable = usable(open, now, statuses);
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
        release(now, settings.idleTime(), needed(now, due, open, packing, planner), planner, wishes);
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
                due.add(demand.in(sites));
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

    private static List<Offering> inSitesWithRoom(ClusterSnapshot now) {
        Map<String, Integer> nodes = new HashMap<>();
        now.nodes().forEach(node -> nodes.merge(node.site(), 1, Integer::sum));
        return now.offerings().stream()
                .filter(offering -> {
                    String site = offering.id().site();
                    return nodes.getOrDefault(site, 0)
                            < now.limits().maxNodesBySite().getOrDefault(site, 0);
                })
                .toList();
    }

    private static List<Offering> usable(
            List<Offering> open, ClusterSnapshot now, Map<OfferingId, OfferingStatus> statuses) {
        return open.stream()
                .filter(offering -> {
                    OfferingStatus status = statuses.get(offering.id());
                    return status == null || status.mayLaunchAt(now.now());
                })
                .toList();
    }

    private static void provide(
            List<Planner.Bought> bought, int mostNodes, Map<String, Demand> byShape, List<Wish> wishes) {
        int left = mostNodes;
        // Further nodes of a gang are of use only beside its first ones.
        Set<String> cut = new HashSet<>();
        for (Planner.Bought one : bought) {
            List<Demand> waiting = one.shapes().stream()
                    .filter(byShape::containsKey)
                    .map(byShape::get)
                    .toList();
            int whole = waiting.stream().mapToInt(Demand::nodes).min().orElse(1);
            boolean firstPartCut = cut.stream().anyMatch(one.shapes()::contains);
            int gang = firstPartCut ? whole : Math.min(one.count(), whole);
            int most = Math.min(one.count(), left);
            int count = most == one.count() && !firstPartCut ? most : most - most % gang;
            if (count < one.count()) {
                cut.addAll(one.shapes());
            }
            if (count == 0) {
                String limit = "at most " + mostNodes + " nodes are launched in one tick (maxNodesPerTick)";
                one.shapes().forEach(shape -> wishes.add(new Wish.Hold(shape, limit)));
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

    /**
     * Also what is needed by jobs whose input is still on its way, and the part of a gang that waits for an offering to
     * recover: released now, it would be bought again.
     */
    private static Set<String> needed(
            ClusterSnapshot now, List<Demand> due, List<Offering> open, Planner.Packing packing, Planner planner) {
        Set<String> needed = new HashSet<>(packing.nodesUsed());
        needed.addAll(planner.pack(now.demands(), now.nodes(), List.of()).nodesUsed());
        needed.addAll(planner.pack(due, now.nodes(), open).nodesUsed());
        return needed;
    }

    private static void release(
            ClusterSnapshot now, Duration idleTime, Set<String> needed, Planner planner, List<Wish> wishes) {
        Instant latest = now.now().minus(idleTime);
        List<NodeView> unneeded = now.nodes().stream()
                .filter(node -> node.phase() == NodeView.Phase.IDLE
                        && node.offering() != null
                        && !node.keep()
                        && !needed.contains(node.id())
                        && !node.since().isAfter(latest))
                .sorted(Comparator.comparing(NodeView::id))
                .toList();
        if (unneeded.isEmpty()) {
            return;
        }
        Set<String> oldestFirst = usedOldestFirst(now, planner);
        unneeded.stream()
                .filter(node -> !oldestFirst.contains(node.id()))
                .forEach(node -> wishes.add(new Wish.Release(
                        List.of(node.id()),
                        "idle since " + node.since() + ", longer than " + idleTime.toSeconds()
                                + " s, and nothing that waits needs it")));
    }

    /**
     * What jobs would start on in the order in which they came, each shape on nodes of its own. The best packing may put a
     * later shape on nodes that were bought for an older one; what was bought for the later one is no surplus then.
     */
    private static Set<String> usedOldestFirst(ClusterSnapshot now, Planner planner) {
        Set<String> used = new HashSet<>();
        List<NodeView> left = now.nodes();
        List<Demand> oldestFirst = now.demands().stream()
                .sorted(Comparator.comparing(Demand::oldestSubmit).thenComparing(Demand::shape))
                .toList();
        for (Demand demand : oldestFirst) {
            used.addAll(planner.pack(List.of(demand), left, List.of()).nodesUsed());
            left = left.stream().filter(node -> !used.contains(node.id())).toList();
        }
        return used;
    }
}
