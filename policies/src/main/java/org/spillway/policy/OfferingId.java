package org.spillway.policy;

/** Where and as what capacity can be bought: the unit of price, shortage and launch. Values are the provider's own. */
public record OfferingId(String site, String zone, String instanceType, Market market)
        implements Comparable<OfferingId> {
    private static final char SEPARATOR = '/';

    /** In the order of the texts, which are not made for it: tables of offerings are folded in every tick. */
    @Override
    public int compareTo(OfferingId other) {
        if (!site.equals(other.site)) {
            return byText(site, other.site, other);
        }
        if (!zone.equals(other.zone)) {
            return byText(zone, other.zone, other);
        }
        if (!instanceType.equals(other.instanceType)) {
            return byText(instanceType, other.instanceType, other);
        }
        return market.toString().compareTo(other.market.toString());
    }

    /** Of two different parts that are followed by a separator. */
    private int byText(String mine, String others, OfferingId other) {
        int order = mine.compareTo(others);
        if (others.startsWith(mine)) {
            order = SEPARATOR - others.charAt(mine.length());
        } else if (mine.startsWith(others)) {
            order = mine.charAt(others.length()) - SEPARATOR;
        }
        // A part with a separator in it.
        return order != 0 ? order : toString().compareTo(other.toString());
    }

    /** {@code site/zone/type/market}, stable, for messages and journals. */
    @Override
    public String toString() {
        return site + "/" + zone + "/" + instanceType + "/" + market;
    }
}
