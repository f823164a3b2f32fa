package org.spillway.scaler.plan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.Limits;

/**
 * How many jobs floating licences permit to start: a node for a job that has no licence would idle. Licences are dealt out
 * in the order of importance, before the policy is asked.
 *
 * @param now the snapshot, with no more jobs of a shape than licences permit, and without shapes that get none
 * @param held for each shape that gets none, the reason
 */
public record LicenceCut(ClusterSnapshot now, Map<String, Bound> held) {
    public LicenceCut {
        held = Map.copyOf(held);
    }

    /** @param byImportance the snapshot's demands, the most important first */
    public static LicenceCut of(ClusterSnapshot now, List<Demand> byImportance) {
        boolean counted = now.limits().scoped().stream().anyMatch(limit -> limit.scope() == Limits.Scope.LICENCE);
        if (!counted) {
            return new LicenceCut(now, Map.of());
        }
        ScopedLimits limits = new ScopedLimits(now.limits());
        Map<String, Integer> jobs = new HashMap<>();
        Map<String, Bound> held = new HashMap<>();
        for (Demand demand : byImportance) {
            long most = demand.jobs();
            Bound why = Bound.NONE;
            Map<String, Integer> needed = new TreeMap<>(demand.terms().licences());
            for (Map.Entry<String, Integer> licence : needed.entrySet()) {
                long left = licence.getValue() <= 0
                        ? Long.MAX_VALUE
                        : limits.licencesLeft(licence.getKey()) / licence.getValue();
                if (left < most) {
                    most = left;
                    why = new Bound(
                            Bound.Kind.LICENCE,
                            licence.getKey(),
                            limits.licenceText(licence.getKey()) + ", a job needs " + licence.getValue());
                }
            }
            long granted = most;
            needed.forEach((name, each) -> limits.takeLicences(name, Math.max(0, each) * granted));
            jobs.put(demand.shape(), (int) most);
            if (most == 0) {
                held.put(demand.shape(), why);
            }
        }
        List<Demand> left = new ArrayList<>();
        for (Demand demand : now.demands()) {
            int granted = jobs.getOrDefault(demand.shape(), demand.jobs());
            if (granted > 0) {
                left.add(granted == demand.jobs() ? demand : demand.withJobs(granted));
            }
        }
        return new LicenceCut(now.with(left, now.nodes()), held);
    }
}
