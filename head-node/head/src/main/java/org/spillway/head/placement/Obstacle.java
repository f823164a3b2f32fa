package org.spillway.head.placement;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingStatus;

/** The obstacle that keeps a job from being served in a site now, in words. */
final class Obstacle {
    private Obstacle() {}

    static String of(WaitingJob job, SiteOutlook site, int nodesLeft, Placement.Purse purse) {
        String name = "site " + site.name();
        if (!site.trouble().isEmpty()) {
            return name + ": " + site.trouble();
        }
        List<Offering> large = site.offerings().stream().filter(job::takes).toList();
        boolean holds = site.nodes().stream()
                .anyMatch(node -> job.perNode().fitsIn(node.total()) && job.takes(site.name(), node.type()));
        if (large.isEmpty() && !holds) {
            return name + " has nothing that is large enough"
                    + (job.types().isEmpty() ? "" : " among " + String.join(", ", job.types()));
        }
        if (nodesLeft < job.nodes()) {
            String limit = nodesLeft <= 0 ? "no more may be bought" : "only " + nodesLeft + " more may be bought";
            return name + " has no free room, and " + limit;
        }
        Optional<String> refused = large.stream()
                .map(one -> site.statuses().get(one.id()))
                .filter(status -> status != null && !status.reason().isEmpty())
                .min(Comparator.comparing(
                                (OfferingStatus status) -> status.retryAt().orElse(Instant.MAX))
                        .thenComparing(OfferingStatus::id))
                .map(status -> status.id().instanceType() + " " + status.reason() + " in zone "
                        + status.id().zone());
        return refused.orElseGet(() -> budget(job, site, large, purse.left()));
    }

    private static String results(Money egress) {
        return egress.isMoreThan(Money.ZERO) ? ", its results " + egress : "";
    }

    private static String budget(WaitingJob job, SiteOutlook site, List<Offering> large, Money left) {
        return large.stream()
                .min(Comparator.comparing(Offering::pricePerHour).thenComparing(Offering::id))
                .map(one -> "the budget has " + left + " left, a node of "
                        + one.id().instanceType() + " in site "
                        + site.name() + " would reserve "
                        + one.pricePerHour().perHourFor(SitePool.limited(job).plus(site.overhead()))
                        + results(SitePool.egress(job, site)))
                .orElse("site " + site.name() + " has no free room");
    }
}
