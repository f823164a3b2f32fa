package org.spillway.policy.builtin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Planner;
import org.spillway.policy.Wish;

/**
 * The surplus that would be bought again as soon as it is gone: its release makes room in its site, and with that room the
 * planner packs otherwise. Such a node is kept; released, it would cost the same and boot for nothing.
 */
final class BoughtAgain {
    private BoughtAgain() {}

    /** @return ids of surplus nodes of which the next decision, all of them released, would buy as many again */
    static Set<String> of(ClusterSnapshot now, List<NodeView> surplus, Planner planner, int mostNodes) {
        Set<NodeView> gone = new HashSet<>(surplus);
        ClusterSnapshot then = now.with(
                now.demands(),
                now.nodes().stream().filter(node -> !gone.contains(node)).toList());
        Growth next = new Growth(then, planner.of(then), mostNodes);
        next.buy(next.due());
        Map<String, Integer> room = new HashMap<>(then.limits().maxNodesBySite());
        then.nodes().forEach(node -> room.merge(node.site(), -1, Integer::sum));
        Map<String, Demand> demands = new HashMap<>();
        now.demands().forEach(demand -> demands.put(demand.shape(), demand));
        List<NodeView> left = new ArrayList<>(surplus);
        Set<String> again = new HashSet<>();
        for (Wish wish : next.wishes()) {
            if (wish instanceof Wish.Provision provision) {
                match(provision, then, demands, room, left, again);
            }
        }
        return again;
    }

    private static void match(
            Wish.Provision wish,
            ClusterSnapshot then,
            Map<String, Demand> demands,
            Map<String, Integer> room,
            List<NodeView> left,
            Set<String> again) {
        int wanted = wish.count();
        for (OfferingId id : wish.offerings()) {
            int here = Math.min(wanted, Math.max(0, room.getOrDefault(id.site(), 0)));
            if (here == 0 || !isAffordable(wish, id, then, demands)) {
                continue;
            }
            room.merge(id.site(), -here, Integer::sum);
            wanted -= here;
            for (NodeView node : List.copyOf(left)) {
                if (here > 0 && id.equals(node.offering())) {
                    here--;
                    left.remove(node);
                    again.add(node.id());
                }
            }
        }
    }

    private static Duration longest(List<String> shapes, Map<String, Demand> demands) {
        Duration longest = Duration.ZERO;
        for (String shape : shapes) {
            Demand demand = demands.get(shape);
            if (demand != null && demand.walltime().compareTo(longest) > 0) {
                longest = demand.walltime();
            }
        }
        return longest;
    }

    private static boolean isAffordable(
            Wish.Provision wish, OfferingId id, ClusterSnapshot then, Map<String, Demand> demands) {
        Duration walltime = longest(wish.shapes(), demands);
        return then.offerings().stream()
                .filter(offering -> offering.id().equals(id))
                .map(Offering::pricePerHour)
                .noneMatch(price ->
                        price.perHourFor(walltime).isMoreThan(then.limits().budgetLeft()));
    }
}
