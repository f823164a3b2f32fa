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
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Wish;
import org.spillway.scaler.plan.Bound.Kind;

/** A decision while it is cut to its limits; see {@link Guardrails}. Lives within one call. */
final class WishCutter {
    /** Expected use of a node that was bought for no shape: one billing quantum. */
    private static final Duration PRE_WARMED = Duration.ofHours(1);
    /** A reason is for people: further offerings are counted, not named. */
    private static final int REASONS_NAMED = 3;

    private final ClusterSnapshot snapshot;
    private final LaunchGate gate;
    private final GangParts gangs;
    private final Map<String, Demand> demands = new HashMap<>();
    private final List<Demand> unlicensed;
    private final Map<String, NodeView> nodes = new HashMap<>();
    private final List<Step> steps = new ArrayList<>();
    private final Set<String> launchedFor = new HashSet<>();
    private final Map<String, Integer> grantedFor = new HashMap<>();
    private final Set<String> released = new HashSet<>();
    private final Map<String, Bound> holds = new HashMap<>();
    private final Set<Bound> refusals = new LinkedHashSet<>();
    private final StoppedNodes stopped;
    private final OtherCategories others;
    private final RankedSets ranked = new RankedSets();

    WishCutter(ClusterSnapshot all, ZoneId zone) {
        LicenceCut licensed = LicenceCut.of(all, new FirstFitPlanner(all).byImportance(all));
        snapshot = licensed.now();
        holds.putAll(licensed.held());
        unlicensed = all.demands().stream()
                .filter(demand -> licensed.held().containsKey(demand.shape()))
                .toList();
        gate = new LaunchGate(snapshot, zone);
        gangs = new GangParts(snapshot);
        snapshot.demands().forEach(demand -> demands.put(demand.shape(), demand));
        snapshot.nodes().forEach(node -> nodes.put(node.id(), node));
        stopped = new StoppedNodes(snapshot, gate, gangs);
        others = new OtherCategories(snapshot, gate, gangs);
    }

    void add(Wish wish) {
        switch (wish) {
            case Wish.Provision provision -> provision(provision);
            case Wish.Release release -> release.nodes().forEach(node -> release(node, release.reason()));
            case Wish.Hold hold -> holds.putIfAbsent(hold.shape(), new Bound(Kind.POLICY, "", hold.reason()));
            case Wish.Power power ->
                power.nodes()
                        .forEach(power.on() ? node -> start(node, power.reason()) : node -> stop(node, power.reason()));
            case Wish.Repurpose repurpose ->
                repurpose.nodes().forEach(node -> repurpose(node, repurpose.category(), repurpose.reason()));
            case Wish.Overlay overlay -> overlay.nodes().forEach(node -> overlay(node, overlay));
        }
    }

    void refuse(Bound why) {
        refusals.add(why);
    }

    private void refuse(String reason) {
        refuse(new Bound(Kind.WISH, "", reason));
    }

    private void provision(Wish.Provision asked) {
        List<Demand> all = asked.shapes().stream()
                .distinct()
                .filter(demands::containsKey)
                .map(demands::get)
                .toList();
        if (all.isEmpty() && !asked.shapes().isEmpty()) {
            if (holds.keySet().containsAll(asked.shapes())) {
                return;
            }
            refuse("no such shape waits: " + String.join(", ", asked.shapes()));
            return;
        }
        Wish.Provision wish = inTheirMarkets(asked, all);
        if (wish.offerings().isEmpty() && !asked.offerings().isEmpty()) {
            return;
        }
        // A queue, user or account that has all it may have keeps nobody else from a node that was to be shared.
        List<Demand> waiting = all.stream()
                .filter(demand -> hasSomethingLeft(demand, wish.offerings()))
                .toList();
        if (waiting.isEmpty() && !all.isEmpty()) {
            return;
        }
        Duration time = waiting.stream()
                .map(Demand::walltime)
                .max(Comparator.naturalOrder())
                .orElse(PRE_WARMED);
        Set<Bound> limits = new LinkedHashSet<>();
        boolean bounded = waiting.size() < all.size()
                || (!waiting.isEmpty()
                        && waiting.stream()
                                .noneMatch(one -> one.terms().licences().isEmpty()));
        int wanted = bounded ? (int) Math.min(wish.count(), stillNeeded(waiting)) : wish.count();
        List<Step.Power> starts =
                stopped.start(wish, wanted, waiting, time, gangs.unit(waiting, Math.max(1, wanted)), limits);
        int missing = wanted - starts.size();
        // Before a launch where that is neither later nor dearer, and where nothing can be launched in any case.
        List<Step.Repurpose> changes = new ArrayList<>(
                others.take(wish, missing, waiting, time, gangs.unit(waiting, Math.max(1, missing)), released, true));
        missing -= changes.size();
        List<Step.Launch> launches = missing == 0 ? List.of() : launches(wish, missing, waiting, time, limits);
        missing -= launches.stream().mapToInt(Step.Launch::count).sum();
        changes.addAll(
                others.take(wish, missing, waiting, time, gangs.unit(waiting, Math.max(1, missing)), released, false));
        int granted = starts.size()
                + changes.size()
                + launches.stream().mapToInt(Step.Launch::count).sum();
        waiting.forEach(demand -> granted(demand, granted));
        if (granted < wish.count()) {
            gangs.cut(waiting);
        }
        for (Step.Power start : starts) {
            steps.add(start);
            launchedFor.addAll(start.shapes());
        }
        for (Step.Repurpose change : changes) {
            steps.add(change);
            launchedFor.addAll(change.shapes());
        }
        String suffix = limits.isEmpty() ? "" : suffix(granted, wish.count(), limits);
        for (Step.Launch launch : launches) {
            ranked.expect(steps.size(), wish, waiting, time);
            steps.add(launch.withReason(launch.reason() + suffix));
            launchedFor.addAll(launch.shapes());
        }
        if (granted == 0) {
            Bound why = limits.isEmpty()
                    ? new Bound(Kind.POLICY, "", "the policy named no offering")
                    : new Bound(
                            limits.iterator().next().kind(),
                            limits.iterator().next().name(),
                            joined(limits));
            waiting.forEach(demand -> holds.putIfAbsent(demand.shape(), why));
            if (waiting.isEmpty()) {
                refuse(new Bound(why.kind(), why.name(), "pre-warmed nodes: " + why.text()));
            }
        }
    }

    /** The wish without offerings of markets that one of its jobs may not be served in, whatever the policy thinks. */
    private Wish.Provision inTheirMarkets(Wish.Provision wish, List<Demand> jobs) {
        List<OfferingId> allowed = new ArrayList<>(wish.offerings());
        for (Demand demand : jobs) {
            Bound why = new Bound(
                    Kind.WISH, demand.shape(), "what the policy wishes for is sold in a market that they may not use");
            if (allowed.removeIf(id -> demand.features().contains(id.market().without())) && allowed.isEmpty()) {
                jobs.forEach(one -> holds.putIfAbsent(one.shape(), why));
            }
        }
        return allowed.size() == wish.offerings().size()
                ? wish
                : new Wish.Provision(wish.shapes(), allowed, wish.count(), wish.reason());
    }

    private boolean hasSomethingLeft(Demand demand, List<OfferingId> offerings) {
        Bound exhausted = gate.exhausted(demand, offerings);
        if (!exhausted.isEmpty()) {
            holds.putIfAbsent(demand.shape(), exhausted);
        }
        return exhausted.isEmpty();
    }

    /** Node slots of these shapes for which this plan has launched nothing yet. */
    private long stillNeeded(List<Demand> waiting) {
        return waiting.stream()
                .mapToLong(demand -> Math.max(0, slots(demand) - grantedFor.getOrDefault(demand.shape(), 0)))
                .sum();
    }

    private void granted(Demand demand, int nodesGranted) {
        grantedFor.merge(demand.shape(), nodesGranted, Integer::sum);
    }

    private static long slots(Demand demand) {
        return (long) demand.jobs() * demand.nodes();
    }

    private List<Step.Launch> launches(
            Wish.Provision wish, int asked, List<Demand> waiting, Duration time, Set<Bound> limits) {
        List<String> shapes = waiting.stream().map(Demand::shape).sorted().toList();
        List<Step.Launch> launches = new ArrayList<>();
        int unit = gangs.unit(waiting, asked);
        int wanted = asked;
        for (OfferingId id : wish.offerings()) {
            if (wanted == 0) {
                break;
            }
            LaunchGate.Allowance allowance = gate.allow(id, waiting, time, wanted, unit);
            if (!allowance.limit().isEmpty()) {
                limits.add(allowance.limit());
            }
            // The last nodes of a gang are of use only where the rest of them is, so they wait for the next tick.
            boolean leftover = wanted < unit && wanted < asked;
            if (allowance.count() == 0 || leftover) {
                continue;
            }
            Optional<String> group = gangs.group(waiting, id);
            Bound broken = gangs.broken(waiting, id, group, allowance.count(), unit);
            if (broken.isEmpty()) {
                Money committed = gate.take(id, waiting, allowance);
                gangs.launched(waiting, id, group, allowance.count());
                launches.add(new Step.Launch(
                        id,
                        allowance.count(),
                        shapes,
                        committed,
                        wish.reason(),
                        group.orElse(null),
                        Step.Behind.NOTHING));
                wanted -= allowance.count();
            } else {
                limits.add(broken);
            }
        }
        return launches;
    }

    private static String suffix(int granted, int asked, Set<Bound> limits) {
        return " (" + granted + " of " + asked + " nodes; " + joined(limits) + ")";
    }

    private static String joined(Set<Bound> limits) {
        List<String> reasons = limits.stream().map(Bound::text).distinct().toList();
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
        } else if (node.phase() != NodeView.Phase.IDLE && !node.isStartable()) {
            refuse("node " + id + " is not released: it is " + node.phase() + ", not IDLE");
        } else if (released.add(id)) {
            // A stopped node that is released is ended: a policy that says so twice means it.
            steps.add(
                    node.phase() == NodeView.Phase.IDLE && node.duty().stops()
                            ? new Step.Power(id, false, List.of(), Money.ZERO, reason)
                            : new Step.Release(id, reason));
        }
    }

    private void stop(String id, String reason) {
        NodeView node = nodes.get(id);
        String why = node == null
                ? "there is no such node"
                : !node.duty().stops()
                        ? "its site does not stop and start it"
                        : node.keep()
                                ? "an administrator keeps it"
                                : node.phase() != NodeView.Phase.IDLE ? "it is " + node.phase() + ", not IDLE" : "";
        if (!why.isEmpty()) {
            refuse("node " + id + " is not powered off: " + why);
        } else if (released.add(id)) {
            steps.add(new Step.Power(id, false, List.of(), Money.ZERO, reason));
        }
    }

    private void start(String id, String reason) {
        NodeView node = nodes.get(id);
        if (node == null || !node.isStartable()) {
            refuse("node " + id + " is not powered on: "
                    + (node == null
                            ? "there is no such node"
                            : !node.duty().stops()
                                    ? "its site does not stop and start it"
                                    : "it is " + node.phase() + ", not STOPPED"));
            return;
        }
        Set<Bound> limits = new LinkedHashSet<>();
        stopped.start(node, reason, PRE_WARMED, limits).ifPresentOrElse(steps::add, () -> {
            if (!limits.isEmpty()) {
                refuse("node " + id + " is not powered on: " + joined(limits));
            }
        });
    }

    private void repurpose(String id, String category, String reason) {
        NodeView node = nodes.get(id);
        String what =
                "node " + id + " is not made " + (category.isEmpty() ? "one without a category" : category) + ": ";
        if (node == null) {
            refuse(what + "there is no such node");
        } else if (!snapshot.changeable().categories().containsKey(category)) {
            refuse(what + "there is no such category");
        } else if (!node.duty().category().equals(category)) {
            Set<Bound> limits = new LinkedHashSet<>();
            others.take(node, category, reason, PRE_WARMED, released, limits).ifPresent(steps::add);
            limits.forEach(limit -> refuse(new Bound(limit.kind(), limit.name(), what + limit.text())));
        }
    }

    private void overlay(String id, Wish.Overlay wish) {
        NodeView node = nodes.get(id);
        String what =
                "node " + id + " does not " + (wish.join() ? "join" : "leave") + " overlay " + wish.overlay() + ": ";
        if (node == null) {
            refuse(what + "there is no such node");
        } else if (wish.join() && !snapshot.changeable().overlays().contains(wish.overlay())) {
            refuse(what + "there is no such overlay");
        } else if (node.duty().overlays().contains(wish.overlay()) != wish.join()) {
            String why = others.obstacle(node, released);
            if (why.isEmpty()) {
                released.add(id);
                steps.add(new Step.Overlay(id, wish.overlay(), wish.join(), wish.reason()));
            } else {
                refuse(what + why);
            }
        }
    }

    List<Step> steps(Map<String, Integer> onExisting, Bound otherwise) {
        ranked.fill(steps, gate);
        List<Step> all = new ArrayList<>(steps);
        Stream.concat(
                        unlicensed.stream(),
                        snapshot.demands().stream()
                                .filter(demand -> !launchedFor.contains(demand.shape()))
                                .filter(demand -> onExisting.getOrDefault(demand.shape(), 0) < slots(demand)))
                .sorted(Comparator.comparing(Demand::oldestSubmit).thenComparing(Demand::shape))
                .forEach(
                        demand -> all.add(Step.Hold.of(demand.shape(), holds.getOrDefault(demand.shape(), otherwise))));
        refusals.forEach(why -> all.add(Step.Hold.of("", why)));
        return all;
    }
}
