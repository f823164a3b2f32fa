package org.spillway.scaler.plan;

import java.math.BigInteger;
import java.util.Comparator;
import org.spillway.policy.Demand;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;

/**
 * Nodes for the expected run and the moving of input and results as one sum, exact, as {@link org.spillway.policy.RunCost}
 * has it without boot and risk. In millionths of the currency times the seconds of an hour.
 */
final class TransferPrice {
    private static final BigInteger HOUR = BigInteger.valueOf(3600);

    private TransferPrice() {}

    /** Whether the sites of a demand differ in it: else the price of nodes decides. */
    static boolean differs(Demand demand) {
        return !demand.terms().transferPrice().isEmpty()
                && demand.sites().stream()
                                .map(site -> price(demand, site))
                                .distinct()
                                .count()
                        > 1;
    }

    private static Money price(Demand demand, String site) {
        return demand.terms().transferPrice().getOrDefault(site, Money.ZERO);
    }

    /** Of moving so many jobs. */
    static BigInteger of(Demand demand, String site, long jobs) {
        return BigInteger.valueOf(price(demand, site).micros())
                .multiply(BigInteger.valueOf(jobs))
                .multiply(HOUR);
    }

    /** Of so many nodes and of moving what runs on them. */
    static BigInteger cost(Demand demand, Offering offering, long nodes, long jobs) {
        long run = Math.max(1, demand.terms().expected().toSeconds());
        return BigInteger.valueOf(offering.pricePerHour().micros())
                .multiply(BigInteger.valueOf(nodes))
                .multiply(BigInteger.valueOf(run))
                .add(of(demand, offering.id().site(), jobs));
    }

    /** By the cost of one job on a node with as many as fit. */
    static Comparator<Offering> perSlot(Demand demand, int jobs) {
        return (a, b) -> {
            int inA = Slots.fit(demand.perNode(), a.resources(), jobs);
            int inB = Slots.fit(demand.perNode(), b.resources(), jobs);
            BigInteger one = cost(demand, a, 1, inA).multiply(BigInteger.valueOf(inB));
            return one.compareTo(cost(demand, b, 1, inB).multiply(BigInteger.valueOf(inA)));
        };
    }
}
