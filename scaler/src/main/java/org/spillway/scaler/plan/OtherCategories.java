package org.spillway.scaler.plan;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.policy.Planner;
import org.spillway.policy.Wish;

/**
 * The idle nodes that may become another category's. One goes before a launch where that is neither later nor dearer than
 * the launch would be, and after it where nothing more can be launched. Not one that jobs of its own category find room on, none
 * that more important ones wait for in vain, and none that has not been idle for the snapshot's rest: so each change has a job
 * that waits for it, no node changes twice within a rest, and constant demand comes to an end. For a part of a gang only where
 * the rest of it can be had too. Lives within one decision.
 */
final class OtherCategories {
    private static final Duration BOOT_UNKNOWN = Duration.ofSeconds(60);

    private final ClusterSnapshot snapshot;
    private final LaunchGate gate;
    private final GangParts gangs;
    private final Map<OfferingId, Offering> offerings = new HashMap<>();
    private final Map<OfferingId, Duration> boots = new HashMap<>();
    private @Nullable Packed packed;

    OtherCategories(ClusterSnapshot snapshot, LaunchGate gate, GangParts gangs) {
        this.snapshot = snapshot;
        this.gate = gate;
        this.gangs = gangs;
        snapshot.offerings().forEach(offering -> offerings.put(offering.id(), offering));
        for (OfferingStatus status : snapshot.statuses()) {
            boots.put(status.id(), status.bootEstimate());
        }
    }

    /**
     * Of the wish's offerings, the best first.
     *
     * @param asked nodes, 0 or more
     * @param unit nodes that are of use only together
     * @param taken nodes of which this plan makes something already; gets those that are taken here
     * @param better only where it is neither later nor dearer than the best of the wish's offerings
     * @return one step for each node
     */
    List<Step.Repurpose> take(
            Wish.Provision wish,
            int asked,
            List<Demand> waiting,
            Duration time,
            int unit,
            Set<String> taken,
            boolean better) {
        if (asked <= 0 || waiting.isEmpty() || wish.offerings().isEmpty()) {
            return List.of();
        }
        String category = waiting.getFirst().category();
        Duration change = snapshot.changeable().categories().get(category);
        boolean mixed = waiting.stream().anyMatch(demand -> !demand.category().equals(category));
        if (change == null || mixed) {
            return List.of();
        }
        OfferingId best = wish.offerings().getFirst();
        int most = (int) Math.min(asked, missing(waiting));
        List<String> shapes = waiting.stream().map(Demand::shape).sorted().toList();
        List<Step.Repurpose> steps = new ArrayList<>();
        for (OfferingId id : wish.offerings()) {
            if (better && isLater(change, best)) {
                return List.of();
            }
            List<NodeView> idle = snapshot.nodes().stream()
                    .filter(node -> id.equals(node.offering())
                            && !node.duty().category().equals(category)
                            && obstacle(node, taken).isEmpty()
                            && !isAwaited(node, waiting)
                            && (!better || !isDearer(node, best)))
                    .sorted(Comparator.comparing(NodeView::since).thenComparing(NodeView::id))
                    .toList();
            GangParts.Together those = gangs.together(waiting, id, idle);
            List<NodeView> fitting = those.nodes();
            int wanted = Math.min(fitting.size(), most - steps.size());
            int whole = wanted - wanted % unit;
            int atOnce = unit;
            if (whole == 0) {
                // Beside what there is of the gang, and what can be launched of it in the next tick.
                int missing = gangs.missing(waiting, id, those.group());
                whole = Math.min(wanted, missing);
                atOnce = 1;
                if (whole == 0
                        || (whole < missing
                                && gate.allow(id, waiting, time, missing - whole, 1)
                                                .count()
                                        < missing - whole)) {
                    continue;
                }
            } else if (!gangs.broken(waiting, id, those.group(), whole, unit).isEmpty()) {
                continue;
            }
            LaunchGate.Allowance allowance = gate.allowStart(id, waiting, time, whole, atOnce);
            if (allowance.count() == 0 || (atOnce < unit && allowance.count() < whole)) {
                continue;
            }
            gate.takeStart(id, waiting, allowance);
            gangs.launched(waiting, id, those.group(), allowance.count());
            for (NodeView node : fitting.subList(0, allowance.count())) {
                taken.add(node.id());
                steps.add(new Step.Repurpose(node.id(), category, shapes, allowance.each(), wish.reason()));
            }
        }
        return steps;
    }

    /** This one, because a policy says so. @param limits gets what keeps it from being done */
    Optional<Step.Repurpose> take(
            NodeView node, String category, String reason, Duration time, Set<String> taken, Set<Bound> limits) {
        OfferingId id = node.offering();
        Offering offering = id == null ? null : offerings.get(id);
        String why = obstacle(node, taken);
        if (!why.isEmpty() || id == null) {
            limits.add(new Bound(Bound.Kind.WISH, node.id(), why));
            return Optional.empty();
        }
        if (offering != null && !category.isEmpty() && !offering.features().contains(Demand.CATEGORY + category)) {
            limits.add(new Bound(
                    Bound.Kind.WISH, node.id(), "nodes of that category are not of type " + id.instanceType()));
            return Optional.empty();
        }
        LaunchGate.Allowance allowance = gate.allowStart(id, List.of(), time, 1, 1);
        if (allowance.count() == 0) {
            limits.add(allowance.limit());
            return Optional.empty();
        }
        gate.takeStart(id, List.of(), allowance);
        taken.add(node.id());
        return Optional.of(new Step.Repurpose(node.id(), category, List.of(), allowance.each(), reason));
    }

    /** Why a node may not become something else now; empty when it may. */
    String obstacle(NodeView node, Set<String> taken) {
        if (node.offering() == null) {
            return "the head did not launch it";
        }
        if (node.duty().fixed()) {
            return "an administrator made it what it is";
        }
        if (node.phase() != NodeView.Phase.IDLE) {
            return "it is " + node.phase() + ", not IDLE";
        }
        if (node.since().plus(snapshot.changeable().rest()).isAfter(snapshot.now())) {
            return "it has not been idle for " + snapshot.changeable().rest().toSeconds() + " s";
        }
        if (taken.contains(node.id())) {
            return "something else becomes of it";
        }
        return packed().packing().nodesUsed().contains(node.id()) ? "jobs of its own category wait for it" : "";
    }

    /** Whether more important jobs than these wait for nodes of its category, and would use it. */
    private boolean isAwaited(NodeView node, List<Demand> waiting) {
        for (Demand other : packed().byImportance()) {
            if (waiting.stream().anyMatch(one -> one.shape().equals(other.shape()))) {
                return false;
            }
            if (other.category().equals(node.duty().category())
                    && packed().missing(other) > 0
                    && other.sites().contains(node.site())
                    && other.perNode().fitsIn(node.free())) {
                return true;
            }
        }
        return false;
    }

    private long missing(List<Demand> waiting) {
        return waiting.stream().mapToLong(packed()::missing).sum();
    }

    /** Demands that have room on nodes as they are, with that packing. */
    private record Packed(List<Demand> byImportance, Planner.Packing packing) {
        long missing(Demand demand) {
            long slots = (long) demand.jobs() * demand.nodes();
            return Math.max(0, slots - packing.onExisting().getOrDefault(demand.shape(), 0));
        }
    }

    private Packed packed() {
        Packed known = packed;
        if (known == null) {
            Planner planner = new FirstFitPlanner(snapshot);
            known = new Packed(
                    planner.byImportance(snapshot), planner.pack(snapshot.demands(), snapshot.nodes(), List.of()));
            packed = known;
        }
        return known;
    }

    private boolean isLater(Duration change, OfferingId launch) {
        return change.compareTo(boots.getOrDefault(launch, BOOT_UNKNOWN)) > 0;
    }

    private boolean isDearer(NodeView node, OfferingId launch) {
        Offering offering = offerings.get(launch);
        Money price = offering == null ? Money.ZERO : offering.pricePerHour();
        return node.pricePerHour().isMoreThan(price);
    }
}
