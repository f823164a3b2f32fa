package org.spillway.scaler.plan;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.spillway.policy.Demand;
import org.spillway.policy.Market;
import org.spillway.policy.Offering;
import org.spillway.policy.Resources;

/** Offerings for a demand, in the order of what they cost. */
final class Cheapest {
    static final Comparator<Resources> SMALLEST_FIRST = Comparator.comparingInt(Resources::gpus)
            .thenComparingInt(Resources::cpus)
            .thenComparingLong(Resources::memoryBytes)
            .thenComparingLong(Resources::localDiskBytes);

    private Cheapest() {}

    static List<Offering> acceptable(Demand demand, List<Offering> fitting, Offering first, int slots) {
        List<Offering> all = new ArrayList<>();
        all.add(first);
        fitting.stream()
                .filter(offering ->
                        !offering.equals(first) && Slots.fit(demand.perNode(), offering.resources(), slots) == slots)
                .sorted(cheapestNode(demand, slots).thenComparing(preference(demand)))
                .forEach(all::add);
        return all;
    }

    /** By a node with so many slots on it. */
    private static Comparator<Offering> cheapestNode(Demand demand, int slots) {
        return TransferPrice.differs(demand)
                ? Comparator.comparing(offering -> TransferPrice.cost(demand, offering, 1, slots))
                : Comparator.comparing(Offering::pricePerHour);
    }

    static Comparator<Offering> cheapestPerSlot(Demand demand, int jobs) {
        if (TransferPrice.differs(demand)) {
            return TransferPrice.perSlot(demand, jobs).thenComparing(preference(demand));
        }
        // price(a) / slots(a) < price(b) / slots(b), without dividing.
        Comparator<Offering> perSlot = (a, b) -> compareProducts(
                a.pricePerHour().micros(), Slots.fit(demand.perNode(), b.resources(), jobs),
                b.pricePerHour().micros(), Slots.fit(demand.perNode(), a.resources(), jobs));
        return perSlot.thenComparing(preference(demand));
    }

    /** Exact where a product of two is larger than a long. */
    private static int compareProducts(long a, long b, long c, long d) {
        int high = Long.compare(Math.multiplyHigh(a, b), Math.multiplyHigh(c, d));
        return high != 0 ? high : Long.compareUnsigned(a * b, c * d);
    }

    /** Exact: a product of two counts may be larger than a long. */
    static BigInteger priceOf(Offering offering, long factor) {
        return BigInteger.valueOf(offering.pricePerHour().micros()).multiply(BigInteger.valueOf(factor));
    }

    /** Among equal prices: the site that the queue prefers, what is reserved, the smaller node, the name. */
    static Comparator<Offering> preference(Demand demand) {
        return Comparator.<Offering>comparingInt(
                        offering -> demand.sites().indexOf(offering.id().site()))
                .thenComparing(Offering::pricePerHour)
                .thenComparing(one -> one.id().market(), Market.PAID_ANYWAY_FIRST)
                .thenComparing(Offering::resources, SMALLEST_FIRST)
                .thenComparing(Offering::id);
    }
}
