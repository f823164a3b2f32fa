package org.spillway.scaler.plan;

import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Wish;

/** One decision while it is cut to its limits; see {@link Guardrails}. Lives within one call. */
final class WishCutter {
    /** Expected use of a node that was bought for no shape: one billing quantum. */
    private static final Duration PRE_WARMED = Duration.ofHours(1);
    /** A reason is for people: further offerings are counted, not named. */
    private static final int REASONS_NAMED = 3;

    private final ClusterSnapshot snapshot;
    private final LaunchGate gate;
    private final GangParts gangs;
    private final Map<String, Demand> demands = new HashMap<>();
    private final Map<String, NodeView> nodes = new HashMap<>();
    private final List<Step> steps = new ArrayList<>();
    private final Set<String> launchedFor = new HashSet<>();
    private final Set<String> released = new HashSet<>();
    private final Map<String, String> holds = new HashMap<>();
    private final Set<String> refusals = new LinkedHashSet<>();

    WishCutter(ClusterSnapshot snapshot, ZoneId zone) {
        this.snapshot = snapshot;
        gate = new LaunchGate(snapshot, zone);
        gangs = new GangParts(snapshot);
        snapshot.demands().forEach(demand -> demands.put(demand.shape(), demand));
        snapshot.nodes().forEach(node -> nodes.put(node.id(), node));
    }

    void add(Wish wish) {
        switch (wish) {
            case Wish.Provision provision -> provision(provision);
            case Wish.Release release -> release.nodes().forEach(node -> release(node, release.reason()));
            case Wish.Hold hold -> holds.putIfAbsent(hold.shape(), hold.reason());
            case Wish.Power power ->
                refuse("power " + (power.on() ? "on" : "off") + " of " + String.join(", ", power.nodes())
                        + " is not available: no site of this release stops and starts nodes");
            case Wish.Repurpose repurpose ->
                refuse("repurposing " + String.join(", ", repurpose.nodes()) + " as " + repurpose.category()
                        + " is not available: nodes of this release have one category");
            case Wish.Overlay overlay ->
                refuse("overlay " + overlay.overlay() + " for " + String.join(", ", overlay.nodes())
                        + " is not available: this release has no configuration overlays");
        }
    }

    void refuse(String reason) {
        refusals.add(reason);
    }

    private void provision(Wish.Provision wish) {
        List<Demand> waiting = wish.shapes().stream()
                .distinct()
                .filter(demands::containsKey)
                .map(demands::get)
                .toList();
        if (waiting.isEmpty() && !wish.shapes().isEmpty()) {
            refuse("no such shape waits: " + String.join(", ", wish.shapes()));
            return;
        }
        Duration time = waiting.stream()
                .map(Demand::walltime)
                .max(Comparator.naturalOrder())
                .orElse(PRE_WARMED);
        Set<String> limits = new LinkedHashSet<>();
        List<Step.Launch> launches = launches(wish, waiting, time, limits);
        int granted = launches.stream().mapToInt(Step.Launch::count).sum();
        if (granted < wish.count()) {
            gangs.cut(waiting);
        }
        String suffix = limits.isEmpty() ? "" : suffix(granted, wish.count(), limits);
        for (Step.Launch launch : launches) {
            steps.add(new Step.Launch(
                    launch.offering(), launch.count(), launch.shapes(), launch.committed(), launch.reason() + suffix));
            launchedFor.addAll(launch.shapes());
        }
        if (granted == 0) {
            String why = limits.isEmpty() ? "the policy named no offering" : joined(limits);
            waiting.forEach(demand -> holds.putIfAbsent(demand.shape(), why));
            if (waiting.isEmpty()) {
                refuse("pre-warmed nodes: " + why);
            }
        }
    }

    private List<Step.Launch> launches(Wish.Provision wish, List<Demand> waiting, Duration time, Set<String> limits) {
        List<String> shapes = waiting.stream().map(Demand::shape).sorted().toList();
        List<Step.Launch> launches = new ArrayList<>();
        int unit = gangs.unit(waiting, wish.count());
        int wanted = wish.count();
        for (OfferingId id : wish.offerings()) {
            if (wanted == 0) {
                break;
            }
            LaunchGate.Allowance allowance = gate.allow(id, time, wanted, unit);
            if (!allowance.limit().isEmpty()) {
                limits.add(allowance.limit());
            }
            // What is left of a gang's nodes is of use only where the rest of them is, so it waits for the next tick.
            boolean leftover = wanted < unit && wanted < wish.count();
            if (allowance.count() == 0 || leftover) {
                continue;
            }
            String broken = gangs.broken(waiting, id.site(), allowance.count(), unit);
            if (broken.isEmpty()) {
                Money committed = gate.take(id, allowance);
                gangs.launched(waiting, id.site(), allowance.count());
                launches.add(new Step.Launch(id, allowance.count(), shapes, committed, wish.reason()));
                wanted -= allowance.count();
            } else {
                limits.add(broken);
            }
        }
        return launches;
    }

    private static String suffix(int granted, int asked, Set<String> limits) {
        return " (" + granted + " of " + asked + " nodes; " + joined(limits) + ")";
    }

    private static String joined(Set<String> reasons) {
        List<String> named = reasons.stream().limit(REASONS_NAMED).toList();
        int more = reasons.size() - named.size();
        return String.join("; ", named) + (more > 0 ? "; and " + more + " more" : "");
    }

    private void release(String id, String reason) {
        NodeView node = nodes.get(id);
        if (node == null) {
            refuse("node " + id + " is not released: there is no such node");
        } else if (node.offering() == null) {
            refuse("node " + id + " is not released: it is at home");
        } else if (node.keep()) {
            refuse("node " + id + " is not released: an administrator keeps it");
        } else if (node.phase() != NodeView.Phase.IDLE) {
            refuse("node " + id + " is not released: it is " + node.phase() + ", not IDLE");
        } else if (released.add(id)) {
            steps.add(new Step.Release(id, reason));
        }
    }

    List<Step> steps(Map<String, Integer> onExisting, String otherwise) {
        List<Step> all = new ArrayList<>(steps);
        snapshot.demands().stream()
                .sorted(Comparator.comparing(Demand::oldestSubmit).thenComparing(Demand::shape))
                .filter(demand -> !launchedFor.contains(demand.shape()))
                .filter(demand -> onExisting.getOrDefault(demand.shape(), 0) < (long) demand.jobs() * demand.nodes())
                .forEach(demand ->
                        all.add(new Step.Hold(demand.shape(), holds.getOrDefault(demand.shape(), otherwise))));
        refusals.forEach(reason -> all.add(new Step.Hold("", reason)));
        return all;
    }
}
