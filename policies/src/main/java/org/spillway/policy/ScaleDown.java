package org.spillway.policy;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which idle nodes to give back: a tool for policies. Never a node with a job, one at home, one that an administrator keeps,
 * or one that is needed.
 *
 * <p>Savings are balanced against disruption as in the ski-rental problem (A. R. Karlin and others, Competitive randomized
 * algorithms for nonuniform problems, 1994): an idle node stays until its idling has cost {@code balance} times what
 * booting another one would. With a balance of 1 that never costs more than twice what one who knows the future would pay.
 *
 * @param idleTime how long a node is idle at least before it is given back, 0 or more
 * @param balance boots that the idling may cost before the node goes, 0 or more; 0 looks at {@code idleTime} alone
 * @param billingQuantum the length that is paid once begun; zero, the default, when every second is paid by itself
 * @param stoppingAllowance within a billing quantum, how long before its end a node is given back; a node whose
 *     {@link NodeView.Duty#billedFrom()} is not known does not wait for it
 */
public record ScaleDown(Duration idleTime, double balance, Duration billingQuantum, Duration stoppingAllowance) {
    /** 300 s of idling, one boot, paid by the second. */
    public static final ScaleDown DEFAULTS =
            new ScaleDown(Duration.ofSeconds(300), 1, Duration.ZERO, Duration.ofSeconds(180));

    public ScaleDown {
        if (idleTime.isNegative() || billingQuantum.isNegative() || stoppingAllowance.isNegative()) {
            throw new IllegalArgumentException("a time is negative: idleTime " + idleTime + ", billingQuantum "
                    + billingQuantum + ", stoppingAllowance " + stoppingAllowance);
        }
        if (!(balance >= 0) || Double.isInfinite(balance)) {
            throw new IllegalArgumentException("balance is not 0 or more: " + balance);
        }
    }

    /**
     * @param needed ids of nodes that something waiting will use, such as {@link Planner.Packing#nodesUsed()}
     * @return the dearest first, equal prices with reserved ones last, then by id
     */
    public List<NodeView> surplus(ClusterSnapshot now, Set<String> needed) {
        Map<OfferingId, Duration> boots = new HashMap<>();
        now.statuses().forEach(status -> boots.put(status.id(), status.bootEstimate()));
        return now.nodes().stream()
                .filter(node -> node.phase() == NodeView.Phase.IDLE
                        && node.offering() != null
                        && !node.keep()
                        && !needed.contains(node.id())
                        && !idleFrom(node, boots).isAfter(now.now())
                        && quantumEnds(node, now.now()))
                .sorted(Comparator.comparing(NodeView::pricePerHour, Comparator.reverseOrder())
                        .thenComparing(
                                node -> node.offering() == null
                                        ? Market.ON_DEMAND
                                        : node.offering().market(),
                                Market.PAID_ANYWAY_FIRST.reversed())
                        .thenComparing(NodeView::id))
                .toList();
    }

    /** When it has idled long enough. */
    private Instant idleFrom(NodeView node, Map<OfferingId, Duration> boots) {
        OfferingId offering = node.offering();
        Duration boot = offering == null ? Duration.ZERO : boots.getOrDefault(offering, RunCost.BOOT_UNKNOWN);
        Duration worth =
                Duration.ofMillis((long) Math.min(boot.toMillis() * balance, (double) RunCost.LONGEST.toMillis()));
        return node.since().plus(worth.compareTo(idleTime) > 0 ? worth : idleTime);
    }

    private boolean quantumEnds(NodeView node, Instant now) {
        Instant from = node.duty().billedFrom();
        if (billingQuantum.isZero() || from == null || from.isAfter(now)) {
            return true;
        }
        long quantum = billingQuantum.toMillis();
        long intoIt = Duration.between(from, now).toMillis() % Math.max(1, quantum);
        return quantum - intoIt <= stoppingAllowance.toMillis();
    }
}
