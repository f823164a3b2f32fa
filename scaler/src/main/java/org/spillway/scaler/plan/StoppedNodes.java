package org.spillway.scaler.plan;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Wish;

/**
 * The nodes that are stopped and can be started, which goes before any launch: they are there, and cannot be refused for
 * want of room in their site. Lives within one decision.
 */
final class StoppedNodes {
    private final LaunchGate gate;
    private final GangParts gangs;
    private final Map<OfferingId, Deque<NodeView>> byOffering = new HashMap<>();

    StoppedNodes(ClusterSnapshot snapshot, LaunchGate gate, GangParts gangs) {
        this.gate = gate;
        this.gangs = gangs;
        snapshot.nodes().stream()
                .filter(NodeView::isStartable)
                .sorted(Comparator.comparing(NodeView::id))
                .forEach(node -> {
                    OfferingId offering = node.offering();
                    if (offering != null) {
                        byOffering
                                .computeIfAbsent(offering, id -> new ArrayDeque<>())
                                .add(node);
                    }
                });
    }

    /**
     * Of the wish's offerings, the best first.
     *
     * @param most nodes, 0 or more
     * @param unit nodes that are of use only together
     * @param limits gets what kept it from being more
     * @return one step for each node
     */
    List<Step.Power> start(
            Wish.Provision wish, int most, List<Demand> waiting, Duration time, int unit, Set<Bound> limits) {
        List<String> shapes = waiting.stream().map(Demand::shape).sorted().toList();
        List<Step.Power> steps = new ArrayList<>();
        for (OfferingId id : wish.offerings()) {
            Deque<NodeView> all = byOffering.getOrDefault(id, new ArrayDeque<>());
            GangParts.Together together = gangs.together(waiting, id, List.copyOf(all));
            List<NodeView> stopped = together.nodes();
            int wanted = Math.min(stopped.size(), most - steps.size());
            int whole = wanted - wanted % unit;
            if (whole == 0) {
                continue;
            }
            LaunchGate.Allowance allowance = gate.allowStart(id, waiting, time, whole, unit);
            if (!allowance.limit().isEmpty()) {
                limits.add(allowance.limit());
            }
            if (allowance.count() == 0
                    || !gangs.broken(waiting, id, together.group(), allowance.count(), unit)
                            .isEmpty()) {
                continue;
            }
            gate.takeStart(id, waiting, allowance);
            gangs.launched(waiting, id, together.group(), allowance.count());
            for (NodeView node : stopped.subList(0, allowance.count())) {
                all.remove(node);
                steps.add(on(node, shapes, allowance.each(), wish.reason()));
            }
        }
        return steps;
    }

    /** This one, for no job. */
    Optional<Step.Power> start(NodeView node, String reason, Duration time, Set<Bound> limits) {
        OfferingId id = node.offering();
        Deque<NodeView> stopped = id == null ? null : byOffering.get(id);
        if (id == null || stopped == null || !stopped.contains(node)) {
            return Optional.empty();
        }
        LaunchGate.Allowance allowance = gate.allowStart(id, List.of(), time, 1, 1);
        if (allowance.count() == 0) {
            limits.add(allowance.limit());
            return Optional.empty();
        }
        gate.takeStart(id, List.of(), allowance);
        stopped.remove(node);
        return Optional.of(on(node, List.of(), allowance.each(), reason));
    }

    private static Step.Power on(NodeView node, List<String> shapes, Money each, String reason) {
        return new Step.Power(node.id(), true, shapes, each, reason);
    }
}
