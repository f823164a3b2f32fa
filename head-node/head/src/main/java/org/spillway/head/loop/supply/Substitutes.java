package org.spillway.head.loop.supply;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Fabric;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;

/**
 * Offerings that are taken where the decided one is short: the same type in other zones. The plan's limits were reckoned with
 * its price, so none is dearer; and none that is short itself, that has to prove itself, or whose breaker is open. Pure.
 */
final class Substitutes {
    /** More would make the provider's one call long, and a region has hardly more zones. */
    static final int MOST = 6;

    private final Map<OfferingId, OfferingStatus> statuses = new HashMap<>();
    private final Set<String> shut = new HashSet<>();
    private final ClusterSnapshot seen;

    /** @param seen what the plan was made of */
    Substitutes(ClusterSnapshot seen) {
        this.seen = seen;
        seen.statuses().forEach(status -> statuses.put(status.id(), status));
        seen.breakers().forEach(breaker -> shut.add(breaker.name()));
    }

    /** @return best first; all of the same site, type, market, resources and features; none on a fabric */
    List<OfferingId> of(Offering decided, int count, Collection<Offering> sold) {
        OfferingId id = decided.id();
        if (!Fabric.named(decided.features()).isEmpty()) {
            return List.of();
        }
        return sold.stream()
                .filter(other -> !other.id().equals(id)
                        && other.id().site().equals(id.site())
                        && other.id().instanceType().equals(id.instanceType())
                        && other.id().market() == id.market()
                        && other.resources().equals(decided.resources())
                        && other.features().equals(decided.features())
                        && other.pricePerHour().compareTo(decided.pricePerHour()) <= 0
                        && isWell(other.id(), count))
                .sorted(Offering.CHEAPEST_FIRST)
                .limit(MOST)
                .map(Offering::id)
                .toList();
    }

    private boolean isWell(OfferingId id, int count) {
        OfferingStatus status = statuses.get(id);
        return !shut.contains(id.toString())
                && (status == null || (status.mayLaunchAt(seen.now()) && status.launchBudget() >= count));
    }
}
