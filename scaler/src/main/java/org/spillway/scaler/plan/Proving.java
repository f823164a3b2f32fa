package org.spillway.scaler.plan;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.spillway.policy.ClusterSnapshot.Breaker;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;

/**
 * Keeps one large launch from costing what a breaker would have saved. A pool breaker counts nodes that failed: a thousand
 * that are launched at once have all been paid for when it opens. So of an offering of which nothing shows that its nodes
 * come up, no more than {@code unproven} are under way at a time; and after failures in a row no more than the breaker
 * would still wait for. The first node that joins ends both. Pure; O(outcomes log outcomes + offerings).
 */
public final class Proving {
    private Proving() {}

    /** @param count nodes that may be under way; {@link Integer#MAX_VALUE} for any number, with no reason */
    private record Most(int count, String reason) {
        static final Most ANY = new Most(Integer.MAX_VALUE, "");
    }

    /**
     * @param statuses as folded from launches
     * @param offered what may be bought; one without a status gets one where it is limited
     * @param outcomes of nodes, in any order of time
     * @param breakers known ones: what was before one was closed does not count
     * @param underWay nodes of each offering that were decided and have not joined
     * @return the statuses with launch budgets that are no larger than before, sorted by offering
     */
    public static List<OfferingStatus> cut(
            List<OfferingStatus> statuses,
            Collection<OfferingId> offered,
            List<Breakers.NodeOutcome> outcomes,
            List<Breakers.State> breakers,
            Map<OfferingId, Integer> underWay,
            Breakers.Settings settings) {
        Map<OfferingId, Row> rows = rows(outcomes, breakers);
        Map<OfferingId, OfferingStatus> cut = new TreeMap<>();
        statuses.forEach(status -> cut.put(status.id(), status));
        for (OfferingId id : offered) {
            Most most = most(rows.getOrDefault(id, new Row()), settings);
            OfferingStatus known = cut.getOrDefault(
                    id,
                    new OfferingStatus(
                            id, null, OfferingHealth.HEALTHY_LAUNCH_BUDGET, OfferingHealth.DEFAULT_BOOT, "", 0));
            int left = Math.max(0, most.count() - underWay.getOrDefault(id, 0));
            if (left < known.launchBudget()) {
                cut.put(
                        id,
                        new OfferingStatus(
                                id,
                                known.notBefore(),
                                left,
                                known.bootEstimate(),
                                known.reason().isEmpty() ? most.reason() : known.reason(),
                                known.reclaimsPerHour()));
            }
        }
        return new ArrayList<>(cut.values());
    }

    private static Most most(Row row, Breakers.Settings settings) {
        if (row.failures > 0 && settings.bootFailures() > 0) {
            int most = Math.max(1, settings.bootFailures() - row.failures);
            return new Most(
                    most,
                    "has nodes that did not come up (" + row.failures + " in a row): no more than " + most
                            + " are under way until one does");
        }
        if (!row.joined && settings.unproven() > 0) {
            return new Most(
                    settings.unproven(),
                    "has not come up here yet: no more than " + settings.unproven() + " are under way until one does");
        }
        return Most.ANY;
    }

    private static Map<OfferingId, Row> rows(List<Breakers.NodeOutcome> outcomes, List<Breakers.State> breakers) {
        Map<String, Instant> closed = new HashMap<>();
        breakers.stream()
                .filter(state -> state.kind() == Breaker.Kind.POOL && !state.open())
                .forEach(state -> closed.put(state.name(), state.since()));
        Map<OfferingId, Row> rows = new HashMap<>();
        outcomes.stream().sorted(Comparator.comparing(Breakers.NodeOutcome::at)).forEach(outcome -> {
            OfferingId id = outcome.offering();
            Row row = rows.computeIfAbsent(id, any -> new Row());
            boolean counts = outcome.at().isAfter(closed.getOrDefault(id.toString(), Instant.MIN))
                    && outcome.at().isAfter(closed.getOrDefault(id.site(), Instant.MIN));
            switch (outcome.stage()) {
                case ORDERED -> {}
                case JOINED, USED, UNUSED -> {
                    row.joined = true;
                    row.failures = 0;
                }
                case FAILED, REFUSED -> row.failures += counts ? 1 : 0;
            }
        });
        return rows;
    }

    private static final class Row {
        private boolean joined;
        private int failures;
    }
}
