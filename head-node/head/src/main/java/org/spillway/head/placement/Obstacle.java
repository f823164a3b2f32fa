package org.spillway.head.placement;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.PlaceCause;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingStatus;

/** The obstacle that keeps a job from being served in a site now. */
final class Obstacle {
    private Obstacle() {}

    static Cause of(WaitingJob job, SiteOutlook site, int nodesLeft, Placement.Purse purse) {
        if (!site.trouble().isNone()) {
            return new PlaceCause.SiteTrouble(site.name(), site.trouble());
        }
        List<Offering> large =
                site.supply().offerings().stream().filter(job::takes).toList();
        boolean holds = site.supply().nodes().stream()
                .anyMatch(node -> job.perNode().fitsIn(node.total()) && job.takes(site.name(), node));
        if (large.isEmpty() && !holds && site.supply().offerings().stream().anyMatch(job::isLarge)) {
            return new PlaceCause.OtherMarkets(
                    site.name(),
                    job.markets().stream().map(Market::text).sorted().toList());
        }
        if (large.isEmpty() && !holds) {
            return new PlaceCause.TooSmall(site.name(), List.copyOf(job.types()));
        }
        if (nodesLeft < job.nodes()) {
            return new PlaceCause.NoRoomToBuy(site.name(), Math.max(0, nodesLeft));
        }
        Optional<Cause> refused = large.stream()
                .map(one -> site.supply().statuses().get(one.id()))
                .filter(status -> status != null && !status.reason().isEmpty())
                .min(Comparator.comparing(
                                (OfferingStatus status) -> status.retryAt().orElse(Instant.MAX))
                        .thenComparing(OfferingStatus::id))
                .map(status -> refused(status, site.supply().full().get(status.id())));
        return refused.orElseGet(() -> budget(job, site, large, purse.left()));
    }

    private static Cause refused(OfferingStatus status, @Nullable Cause full) {
        String type = status.id().instanceType();
        return full == null
                ? new PlaceCause.OfferingRefused(type, status.id().zone(), status.reason())
                : new PlaceCause.OfferingHeld(type, status.id().zone(), full);
    }

    private static Cause budget(WaitingJob job, SiteOutlook site, List<Offering> large, Money left) {
        return large.stream()
                .min(Comparator.comparing(Offering::pricePerHour).thenComparing(Offering::id))
                .<Cause>map(one -> new PlaceCause.BudgetForType(
                        left,
                        one.pricePerHour()
                                .perHourFor(
                                        SitePool.limited(job).plus(site.prices().overhead())),
                        one.id().instanceType(),
                        site.name(),
                        SitePool.egress(job, site)))
                .orElseGet(() -> new PlaceCause.NoRoom(site.name()));
    }
}
