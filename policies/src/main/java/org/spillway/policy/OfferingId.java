package org.spillway.policy;

/** Where and as what capacity can be bought: the unit of price, shortage and launch. Values are the provider's own. */
public record OfferingId(String site, String zone, String instanceType, Market market)
        implements Comparable<OfferingId> {
    @Override
    public int compareTo(OfferingId other) {
        return toString().compareTo(other.toString());
    }

    /** {@code site/zone/type/market}, stable, for messages and journals. */
    @Override
    public String toString() {
        return site + "/" + zone + "/" + instanceType + "/" + market;
    }
}
