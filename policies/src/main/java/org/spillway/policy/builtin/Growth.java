package org.spillway.policy.builtin;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.Fabric;
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.policy.Planner;
import org.spillway.policy.Wish;

/** A decision while it grows, as the built-in policies share it. Lives within one call. */
final class Growth {
    /** Leaves offerings as the planner had them. */
    static final Comparator<OfferingId> IN_ORDER = (_, _) -> 0;

    private static final Duration BOOT_UNKNOWN = Duration.ofSeconds(60);

    private final ClusterSnapshot now;
    private final Planner planner;
    private final Map<OfferingId, OfferingStatus> statuses = new HashMap<>();
    private final Map<String, Demand> byShape = new HashMap<>();
    private final List<Wish> wishes = new ArrayList<>();
    private final Set<String> needed = new HashSet<>();
    private final int mostNodes;
    private int left;
    private int jobsPerNode;

    Growth(ClusterSnapshot now, Planner planner, int mostNodes) {
        this.now = now;
        this.planner = planner;
        this.mostNodes = mostNodes;
        left = mostNodes;
        now.statuses().forEach(status -> statuses.put(status.id(), status));
        now.demands().forEach(demand -> byShape.put(demand.shape(), demand));
    }

    /** @param jobs of one node each that may be reckoned to share a new node; 0 for as many as fit */
    void atMostPerNode(int jobs) {
        jobsPerNode = jobs;
    }

    /** The wishes so far; the list may be added to. */
    List<Wish> wishes() {
        return wishes;
    }

    void hold(Demand demand, String reason) {
        wishes.add(new Wish.Hold(demand.shape(), reason));
    }

    /** From the launch call to a usable node, as measured, else 60 s. */
    Duration boot(OfferingId id) {
        OfferingStatus status = statuses.get(id);
        return status == null ? BOOT_UNKNOWN : status.bootEstimate();
    }

    @Nullable
    OfferingStatus status(OfferingId id) {
        return statuses.get(id);
    }

    /** Whether it can hold what the demand asks for on each node, in one of its sites. */
    static boolean fits(Demand demand, Offering offering) {
        return demand.sites().contains(offering.id().site())
                && demand.perNode().fitsIn(offering.resources())
                && offering.features().containsAll(demand.features());
    }

    /** Demands with the sites that their input reaches by the time a node is up; the others are held. */
    List<Demand> due() {
        Map<String, Duration> bootBySite = new HashMap<>();
        now.offerings()
                .forEach(offering -> bootBySite.merge(
                        offering.id().site(), boot(offering.id()), (a, b) -> a.compareTo(b) > 0 ? a : b));
        List<Demand> due = new ArrayList<>();
        for (Demand demand : now.demands()) {
            List<String> sites = demand.sites().stream()
                    .filter(site -> rest(demand, site).compareTo(bootBySite.getOrDefault(site, BOOT_UNKNOWN)) <= 0)
                    .toList();
            if (sites.isEmpty() && !demand.sites().isEmpty()) {
                hold(demand, inputText(demand));
            } else {
                due.add(demand.in(sites));
            }
        }
        return due;
    }

    static Duration rest(Demand demand, String site) {
        return demand.stageInRest().getOrDefault(site, Duration.ZERO);
    }

    private static String inputText(Demand demand) {
        String site = demand.sites().stream()
                .min(Comparator.comparing(name -> rest(demand, name)))
                .orElseThrow();
        return "input needs about " + rest(demand, site).toSeconds() + " s more to reach site " + site
                + ", longer than a node needs to boot";
    }

    /** Offerings of sites that may have one more node. */
    List<Offering> inSitesWithRoom() {
        Map<String, Integer> free = roomBySite();
        return now.offerings().stream()
                .filter(offering -> free.getOrDefault(offering.id().site(), 0) > 0)
                .toList();
    }

    /** How many more nodes each site may have. */
    private Map<String, Integer> roomBySite() {
        Map<String, Integer> free = new HashMap<>(now.limits().maxNodesBySite());
        now.nodes().forEach(node -> free.merge(node.site(), -1, Integer::sum));
        return free;
    }

    /** Offerings that may be asked for now. */
    List<Offering> usable() {
        return planner.usable(now);
    }

    /** Buys what these demands need beyond the nodes that there are. */
    void buy(List<Demand> due) {
        buy(due, now.nodes(), waiting -> IN_ORDER);
    }

    /**
     * @param room existing nodes that these demands may take
     * @param best for some demands, which of several acceptable offerings is better; equal ones stay as the planner had them
     */
    void buy(List<Demand> due, List<NodeView> room, Function<List<Demand>, Comparator<OfferingId>> best) {
        buy(due, room, usable(), now.offerings(), best);
        List<Offering> withRoom = inSitesWithRoom();
        need(due, room, withRoom, planner.pack(due, room, withRoom));
    }

    /**
     * As above.
     *
     * @param offerings what may be bought for them
     * @param named of what the host shall say why it cannot be had, where nothing of {@code offerings} holds a demand
     * @return existing nodes that they take
     */
    Set<String> buy(
            List<Demand> due,
            List<NodeView> room,
            List<Offering> offerings,
            List<Offering> named,
            Function<List<Demand>, Comparator<OfferingId>> best) {
        Planner.Packing packing = planner.pack(due, room, offerings);
        provide(spread(packing, due), best);

        // A shape that nothing usable can hold is asked of everything, so that the host says what keeps each offering
        // out.
        List<Demand> unplaced = due.stream()
                .filter(demand -> packing.unplaced().containsKey(demand.shape()))
                .toList();
        if (!unplaced.isEmpty()) {
            Planner.Packing anywhere = planner.pack(unplaced, List.of(), named);
            int before = left;
            left = Integer.MAX_VALUE;
            provide(anywhere.bought(), best);
            left = before;
            new TreeMap<>(anywhere.unplaced()).forEach((shape, reason) -> wishes.add(new Wish.Hold(shape, reason)));
        }
        need(due, room, offerings, packing);
        return packing.nodesUsed();
    }

    /** Existing nodes that these demands take, but for parts of gangs for whose other nodes their sites have no room. */
    private void need(List<Demand> due, List<NodeView> room, List<Offering> offerings, Planner.Packing packing) {
        Set<String> vain = partsInVain(packing);
        needed.addAll(
                vain.isEmpty()
                        ? packing.nodesUsed()
                        : planner.pack(
                                        due.stream()
                                                .filter(demand -> !vain.contains(demand.shape()))
                                                .toList(),
                                        room,
                                        offerings)
                                .nodesUsed());
    }

    /**
     * Gangs on fabrics of which a site that is full of parts of gangs cannot hold the rest, each part in a zone of its own:
     * while all of them are kept, none is ever whole. The first ones that there is room for go on. Parts that stand on no
     * fabric are of use to any gang.
     */
    private Set<String> partsInVain(Planner.Packing packing) {
        Set<OfferingId> onFabric = now.offerings().stream()
                .filter(offering -> !Fabric.named(offering.features()).isEmpty())
                .map(Offering::id)
                .collect(Collectors.toSet());
        if (onFabric.isEmpty()) {
            return Set.of();
        }
        Map<String, Integer> free = roomBySite();
        Set<String> vain = new HashSet<>();
        for (Planner.Bought one : packing.bought()) {
            int whole = one.shapes().stream()
                    .map(byShape::get)
                    .filter(Objects::nonNull)
                    .mapToInt(Demand::nodes)
                    .max()
                    .orElse(1);
            if (whole == 1 || one.offerings().stream().noneMatch(onFabric::contains)) {
                continue;
            }
            int rest = one.count() % whole == 0 ? whole : one.count() % whole;
            Optional<String> site = one.offerings().stream()
                    .map(OfferingId::site)
                    .filter(name -> free.getOrDefault(name, 0) >= rest)
                    .findFirst();
            if (site.isEmpty()) {
                vain.addAll(one.shapes());
            } else {
                free.merge(site.get(), -rest, Integer::sum);
            }
        }
        return vain;
    }

    /** With more nodes for single jobs, where too many of them would share one. */
    private List<Planner.Bought> spread(Planner.Packing packing, List<Demand> due) {
        if (jobsPerNode == 0) {
            return packing.bought();
        }
        Map<String, Long> missing = new HashMap<>();
        for (Demand demand : due) {
            if (demand.nodes() == 1) {
                long rest = (long) demand.jobs() - packing.onExisting().getOrDefault(demand.shape(), 0);
                missing.put(demand.shape(), (rest + jobsPerNode - 1) / jobsPerNode);
            }
        }
        packing.bought()
                .forEach(one -> one.shapes().stream()
                        .filter(missing::containsKey)
                        .findFirst()
                        .ifPresent(shape -> missing.merge(shape, -(long) one.count(), Long::sum)));
        List<Planner.Bought> more = new ArrayList<>();
        for (Planner.Bought one : packing.bought()) {
            long count = one.count();
            for (String shape : one.shapes()) {
                long lack = Math.max(0, missing.getOrDefault(shape, 0L));
                count += lack;
                missing.merge(shape, -lack, Long::sum);
            }
            more.add(new Planner.Bought(one.shapes(), one.offerings(), (int) Math.min(count, Integer.MAX_VALUE)));
        }
        return more;
    }

    private void provide(List<Planner.Bought> bought, Function<List<Demand>, Comparator<OfferingId>> best) {
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
            List<OfferingId> offerings =
                    one.offerings().stream().sorted(best.apply(waiting)).toList();
            wishes.add(new Wish.Provision(one.shapes(), offerings, count, waitText(waiting)));
            left -= count;
        }
    }

    /** Puts what is to be bought into this order of the first demand that it is for; parts of a gang stay as they are. */
    void sort(Comparator<Demand> order) {
        Comparator<Wish> first = (a, b) -> {
            List<Demand> one = demandsOf(a);
            List<Demand> other = demandsOf(b);
            if (one.isEmpty() || other.isEmpty()) {
                return Boolean.compare(one.isEmpty(), other.isEmpty());
            }
            return order.compare(Collections.min(one, order), Collections.min(other, order));
        };
        wishes.sort(first);
    }

    private List<Demand> demandsOf(Wish wish) {
        return wish instanceof Wish.Provision provision
                ? provision.shapes().stream()
                        .filter(byShape::containsKey)
                        .map(byShape::get)
                        .toList()
                : List.of();
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
     * Releases what is idle for long and not needed. Needed is also what jobs take whose input is still on its way or that
     * are held for another reason, and the part of a gang that waits for an offering to recover: released now, it would be
     * bought again.
     */
    List<Wish> releasing(Duration idleTime) {
        Instant latest = now.now().minus(idleTime);
        needed.addAll(planner.pack(now.demands(), now.nodes(), List.of()).nodesUsed());
        List<NodeView> unneeded = now.nodes().stream()
                .filter(node -> node.phase() == NodeView.Phase.IDLE
                        && node.offering() != null
                        && !node.keep()
                        && !needed.contains(node.id())
                        && !node.since().isAfter(latest))
                .sorted(Comparator.comparing(NodeView::id))
                .toList();
        if (unneeded.isEmpty()) {
            return wishes;
        }
        Set<String> oldestFirst = usedOldestFirst();
        unneeded.stream()
                .filter(node -> !oldestFirst.contains(node.id()))
                .forEach(node -> wishes.add(new Wish.Release(
                        List.of(node.id()),
                        "idle since " + node.since() + ", longer than " + idleTime.toSeconds()
                                + " s, and nothing that waits needs it")));
        return wishes;
    }

    /**
     * Nodes that jobs would start on in the order in which they came, each shape on nodes of its own. The best packing
     * may put a later shape on nodes that were bought for an older one; what was bought for the later one is no surplus
     * then.
     */
    private Set<String> usedOldestFirst() {
        List<Demand> oldestFirst = now.demands().stream()
                .sorted(Comparator.comparing(Demand::oldestSubmit).thenComparing(Demand::shape))
                .toList();
        return planner.usedInTurn(oldestFirst, now.nodes());
    }
}
