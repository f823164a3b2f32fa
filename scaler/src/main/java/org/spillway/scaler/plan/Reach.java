package org.spillway.scaler.plan;

import java.math.BigInteger;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.RunCost;

/**
 * Whether the nodes that would make a gang whole can be had now, by the site's room and the money left. Where they cannot, the
 * gang must not keep others from the nodes that it would complete: each of those would be bought a node of its own, which
 * the gang would take as well, and so on until the money is used up.
 *
 * @param room nodes that a site may have beyond those that it has
 * @param left money; null where nothing is bounded
 * @param boots as measured
 */
record Reach(Map<String, Integer> room, @Nullable Money left, Map<OfferingId, Duration> boots) {
    /** Of a planner that knows no limits. */
    static final Reach UNBOUNDED = new Reach(Map.of(), null, Map.of());

    static Reach of(ClusterSnapshot now) {
        Map<String, Integer> room = new HashMap<>(now.limits().maxNodesBySite());
        for (NodeView node : now.nodes()) {
            room.merge(node.site(), -1, Integer::sum);
        }
        for (NodeView node : now.nodes()) {
            if (node.isStartable()) {
                // A stopped node is one of the site's already, and may be what is missing.
                room.put(node.site(), Integer.MAX_VALUE);
            }
        }
        Map<OfferingId, Duration> boots = new HashMap<>();
        now.statuses().forEach(status -> boots.put(status.id(), status.bootEstimate()));
        return new Reach(room, now.limits().budgetLeft(), boots);
    }

    boolean has(Demand demand, Offering offering, int nodes) {
        if (left == null) {
            return true;
        }
        BigInteger price = price(offering, nodes, reserved(demand).toSeconds());
        return room.getOrDefault(offering.id().site(), 0) >= nodes
                && price.compareTo(BigInteger.valueOf(left.micros())) <= 0;
    }

    /**
     * Whether all of these nodes can be had together. A packing that puts running room to another use, because new nodes take
     * what was there, is worth nothing by halves: the nodes that it could have would be idle beside those that it could not.
     *
     * @param bought each with the offerings that will do, the best first
     * @param demands by shape
     */
    boolean hasAll(List<Room> bought, Map<String, Demand> demands) {
        if (left == null) {
            return true;
        }
        Map<String, Integer> rest = new HashMap<>(room);
        BigInteger money = BigInteger.valueOf(left.micros());
        for (Room one : bought) {
            int missing = one.count();
            long walltime = one.shapes().stream()
                    .map(demands::get)
                    .filter(Objects::nonNull)
                    .mapToLong(demand -> reserved(demand).toSeconds())
                    .max()
                    .orElse(0);
            for (Offering offering : one.acceptable()) {
                String site = offering.id().site();
                int nodes = Math.min(missing, Math.max(0, rest.getOrDefault(site, 0)));
                missing -= nodes;
                rest.merge(site, -nodes, Integer::sum);
                money = money.subtract(price(offering, nodes, walltime));
            }
            if (missing > 0) {
                return false;
            }
        }
        return money.signum() >= 0;
    }

    private BigInteger price(Offering offering, int nodes, long walltimeSeconds) {
        long seconds = boots.getOrDefault(offering.id(), RunCost.BOOT_UNKNOWN).toSeconds() + walltimeSeconds;
        return Cheapest.priceOf(offering, nodes)
                .multiply(BigInteger.valueOf(seconds))
                .divide(BigInteger.valueOf(Duration.ofHours(1).toSeconds()));
    }

    private static Duration reserved(Demand demand) {
        return demand.walltime().compareTo(LaunchGate.LONGEST_RESERVED) > 0
                ? LaunchGate.LONGEST_RESERVED
                : demand.walltime();
    }
}
