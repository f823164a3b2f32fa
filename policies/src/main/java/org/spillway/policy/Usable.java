package org.spillway.policy;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Offerings of which at least one node may be launched now, as far as limits, breakers and health tell. O(o + n). */
final class Usable {
    private Usable() {}

    static List<Offering> of(ClusterSnapshot now) {
        Map<OfferingId, OfferingStatus> statuses = new HashMap<>();
        now.statuses().forEach(status -> statuses.put(status.id(), status));
        Map<String, Integer> nodes = new HashMap<>();
        now.nodes().forEach(node -> nodes.merge(node.site(), 1, Integer::sum));
        Set<String> shut = new HashSet<>();
        Set<OfferingId> startable = new HashSet<>();
        for (NodeView node : now.nodes()) {
            OfferingId offering = node.offering();
            if (offering != null && node.isStartable()) {
                startable.add(offering);
            }
        }
        now.breakers().forEach(breaker -> shut.add(breaker.name()));
        return now.offerings().stream()
                .filter(offering -> {
                    OfferingStatus status = statuses.get(offering.id());
                    String site = offering.id().site();
                    boolean open = shut.isEmpty()
                            || ClusterSnapshot.Breaker.namesOver(offering.id()).stream()
                                    .noneMatch(shut::contains);
                    if (open && startable.contains(offering.id())) {
                        return true;
                    }
                    return open
                            && (status == null || status.mayLaunchAt(now.now()))
                            && nodes.getOrDefault(site, 0)
                                    < now.limits().maxNodesBySite().getOrDefault(site, 0)
                            && now.limits().scoped().stream().allMatch(limit -> permits(limit, offering));
                })
                .toList();
    }

    private static boolean permits(Limits.Limit limit, Offering offering) {
        String site = offering.id().site();
        boolean applies = switch (limit.scope()) {
            case QUOTA_FAMILY -> limit.name().equals(site + "/" + offering.quotaFamily());
            case SITE, LAUNCHES_PER_MINUTE -> limit.name().equals(site);
            case ALL -> true;
            case QUEUE, USER, ACCOUNT, LICENCE -> false;
        };
        long one = switch (limit.unit()) {
            case NODES -> 1;
            case CPUS -> offering.resources().cpus();
            case GPUS -> offering.resources().gpus();
            case LICENCES -> 0;
            // The money that a launch commits depends on the job: the host knows.
            case MONEY_MICROS -> 1;
        };
        return !applies || one <= limit.left();
    }
}
