package org.spillway.head.limits;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.spillway.head.journal.NodeRecord;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

/**
 * How often running spot instances of an offering are taken back in an hour, from the records of nodes: those that the
 * provider ended while the head had not asked for it, over the hours that all of them ran within the window. An offering
 * of which none was taken back is not in it.
 */
public final class Reclaims {
    /** Older losses say little of tomorrow. */
    public static final Duration WINDOW = Duration.ofDays(7);
    /** Of fewer hours a rate says nothing: one loss after a minute is not 60 in an hour. */
    private static final double LEAST_HOURS = 1;

    private Reclaims() {}

    /** @param nodes live ones, and those that ended within the window */
    public static Map<OfferingId, Double> perHour(Collection<NodeRecord> nodes, Instant now) {
        Instant begin = now.minus(WINDOW);
        Map<OfferingId, Integer> lost = new HashMap<>();
        Map<OfferingId, Double> hours = new HashMap<>();
        for (NodeRecord node : nodes) {
            Instant from = node.costFrom();
            Instant to = node.costTo() == null ? now : node.costTo();
            if (from != null && node.offering().market() == Market.SPOT && to.isAfter(begin) && hasJoined(node)) {
                Instant since = from.isAfter(begin) ? from : begin;
                hours.merge(node.offering(), Duration.between(since, to).toMillis() / 3_600_000.0, Double::sum);
                if (node.wasTakenBack()) {
                    lost.merge(node.offering(), 1, Integer::sum);
                }
            }
        }
        Map<OfferingId, Double> rates = new HashMap<>();
        lost.forEach((offering, count) ->
                rates.put(offering, count / Math.max(LEAST_HOURS, hours.getOrDefault(offering, 0.0))));
        return rates;
    }

    private static boolean hasJoined(NodeRecord node) {
        return !node.certificate().isEmpty();
    }
}
