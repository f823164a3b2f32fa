package org.spillway.head.ondemand.broker;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.spillway.cloud.LaunchRequest;
import org.spillway.head.journal.DelegatedRecord.Price;
import org.spillway.head.ondemand.Allowance;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.LaunchOutcome.Refused;
import org.spillway.policy.Money;

/** Whether a child may have what it asks for. Pure. */
final class Terms {
    private Terms() {}

    /**
     * The use that counts against the limits already.
     *
     * @param instances of the child that exist or may
     * @param spent by the child through the broker, with what is reserved
     * @param parentsRoom instances that the parent's own limit of the site leaves
     */
    record Usage(int instances, Money spent, int parentsRoom) {}

    /** For so long a launch's price is reserved: to the child's end, if that is nearer than what is billed at least. */
    static Duration committedFor(Allowance allowance, Duration quantum, Instant now) {
        Duration rest = Duration.between(now, allowance.expires());
        return rest.compareTo(quantum) < 0 ? rest : quantum;
    }

    static Money reserved(List<Price> prices, int count, Duration committedFor) {
        Money dearest =
                prices.stream().map(Price::pricePerHour).max(Money::compareTo).orElseThrow();
        return dearest.perHourFor(committedFor).times(count);
    }

    /** Why not; empty when it may. */
    static Optional<Refused> refusal(
            Allowance allowance, LaunchRequest request, Money reserved, Usage usage, Instant now) {
        String cluster = "cluster " + allowance.cluster();
        if (allowance.isOver(now)) {
            return no(cluster + " ended at " + allowance.expires() + ": nothing more is bought for it");
        }
        for (var offering : request.offerings()) {
            if (!allowance.instanceTypes().isEmpty()
                    && !allowance.instanceTypes().contains(offering.instanceType())) {
                return Optional.of(new Refused(
                        Reason.INVALID,
                        cluster + " may not have " + offering.instanceType() + ", only "
                                + String.join(
                                        ", ",
                                        allowance.instanceTypes().stream()
                                                .sorted()
                                                .toList())));
            }
        }
        if (request.count() > allowance.maxNodes() - usage.instances()) {
            Reason reason = request.count() > allowance.maxNodes() ? Reason.QUOTA : Reason.OCCUPIED;
            return no(
                    reason,
                    cluster + " has " + usage.instances() + " of its " + allowance.maxNodes() + " nodes, "
                            + request.count() + " more are not allowed");
        }
        if (request.count() > usage.parentsRoom()) {
            return no(
                    Reason.OCCUPIED,
                    "site " + allowance.site() + " of the parent has room for " + Math.max(0, usage.parentsRoom())
                            + " more, " + request.count() + " were asked for");
        }
        Money left = allowance.budgetLeft().minus(usage.spent());
        if (reserved.isMoreThan(left)) {
            return no("the budget of " + cluster + " has " + left + " left, this would reserve " + reserved);
        }
        return Optional.empty();
    }

    private static Optional<Refused> no(String why) {
        return no(Reason.QUOTA, why);
    }

    private static Optional<Refused> no(Reason reason, String why) {
        return Optional.of(new Refused(reason, why));
    }
}
