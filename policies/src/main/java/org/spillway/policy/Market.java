package org.spillway.policy;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** How capacity is bought: at the list price, as reclaimable spare capacity, or against a reservation. */
public enum Market {
    ON_DEMAND,
    SPOT,
    RESERVED;

    /** Markets whose machines no provider takes back: all that a job may be given where nothing else is said. */
    public static final Set<Market> STEADY = Set.of(ON_DEMAND, RESERVED);

    /** Reserved capacity is paid for, used or not: among equal prices it is used first and given back last. */
    public static final Comparator<Market> PAID_ANYWAY_FIRST = Comparator.comparing(market -> market != RESERVED);

    private static final String WITHOUT = "without:";

    /** As people write it, such as {@code on-demand}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** @throws IllegalArgumentException if there is none of that name */
    public static Market of(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    /** The feature of an offering that is not sold in this market, such as {@code without:spot}, and of what is not bought at all. */
    public String without() {
        return WITHOUT + text();
    }

    /** The features of all that is sold in this market: it is without each other one. */
    public Set<String> features() {
        return Arrays.stream(values())
                .filter(other -> other != this)
                .map(Market::without)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** The features that a demand has which may be served in these markets only; empty where it may be in all. */
    public static Set<String> features(Collection<Market> allowed) {
        return Arrays.stream(values())
                .filter(other -> !allowed.contains(other))
                .map(Market::without)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Whether a feature says only in which markets something may be bought. */
    public static boolean isFeature(String feature) {
        return feature.startsWith(WITHOUT);
    }
}
