package org.spillway.head.loop.money;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.EgressRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.Purchase;
import org.spillway.head.journal.RecoveryRecord;
import org.spillway.policy.Money;

/**
 * Spend = accrued + committed. A node's price runs from the moment before its launch call to the moment when it was
 * proven gone; while it lives, the larger of what it was reserved for and what it has run so far counts. While it is
 * stopped, what it then costs counts where that is known, and its price where it is not. What a site takes for results
 * that leave it is accrued once they are at home.
 */
public final class Spending {
    private Spending() {}

    /** The amount that counts against the budget of the period that began at {@code periodStart}. */
    public static Money of(Collection<NodeRecord> nodes, Instant periodStart, Instant now) {
        Money sum = Money.ZERO;
        for (NodeRecord node : nodes) {
            sum = sum.plus(of(node, periodStart, now));
        }
        return sum;
    }

    /** The amount that was spent already: without what is reserved. */
    public static Money accrued(Collection<NodeRecord> nodes, Instant periodStart, Instant now) {
        Money sum = Money.ZERO;
        for (NodeRecord node : nodes) {
            sum = sum.plus(of(node.withCommittedFor(Duration.ZERO), periodStart, now));
        }
        return sum;
    }

    /** The amount of clusters on demand: all that one may spend while it lives, then what it has spent. */
    public static Money ofClusters(Collection<ClusterRecord> clusters, Instant periodStart) {
        Money sum = Money.ZERO;
        for (ClusterRecord cluster : clusters) {
            if (cluster.isLive() || !cluster.since().isBefore(periodStart)) {
                sum = sum.plus(cluster.reserved());
            }
        }
        return sum;
    }

    /** The amount that bringing results home has cost. */
    public static Money ofEgress(Collection<EgressRecord> brought, Instant periodStart) {
        Money sum = Money.ZERO;
        for (EgressRecord one : brought) {
            if (!one.quarter().isBefore(periodStart)) {
                sum = sum.plus(one.price());
            }
        }
        return sum;
    }

    /** The amount that machines have cost which the journal does not know. */
    public static Money ofUnknown(Collection<RecoveryRecord> machines, Instant periodStart, Instant now) {
        Money sum = Money.ZERO;
        for (RecoveryRecord one : machines) {
            sum = sum.plus(one.costSince(periodStart, now));
        }
        return sum;
    }

    public static Money of(NodeRecord node, Instant periodStart, Instant now) {
        Instant from = node.costFrom();
        if (from == null) {
            return Money.ZERO;
        }
        Instant to = node.costTo();
        if (to == null) {
            Instant reserved = from.plus(node.committedFor());
            to = reserved.isAfter(now) ? reserved : now;
        }
        Instant begin = from.isAfter(periodStart) ? from : periodStart;
        return to.isAfter(begin) ? between(node, begin, to) : Money.ZERO;
    }

    /** While it is stopped it costs what it then costs, as far as that is known; a reservation for later is in full. */
    private static Money between(NodeRecord node, Instant begin, Instant end) {
        Duration full = Duration.between(begin, end);
        for (Purchase.Stop stop : node.purchase().stops()) {
            Instant from = stop.from().isAfter(begin) ? stop.from() : begin;
            Instant until = stop.until() == null || stop.until().isAfter(end) ? end : stop.until();
            if (until.isAfter(from)) {
                full = full.minus(Duration.between(from, until));
            }
        }
        return node.pricePerHour().perHourFor(full).plus(stopped(node, begin, end));
    }

    /** The part of it that counts for the times in which it was stopped. */
    static Money stopped(NodeRecord node, Instant begin, Instant end) {
        Money sum = Money.ZERO;
        for (Purchase.Stop stop : node.purchase().stops()) {
            Instant from = stop.from().isAfter(begin) ? stop.from() : begin;
            Instant until = stop.until() == null || stop.until().isAfter(end) ? end : stop.until();
            if (until.isAfter(from)) {
                sum = sum.plus(stop.pricePerHour().perHourFor(Duration.between(from, until)));
            }
        }
        return sum;
    }
}
