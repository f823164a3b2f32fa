package org.spillway.policy;

import java.util.Set;

/**
 * One thing that can be bought.
 *
 * @param resources what one instance has, after what the operating system keeps
 * @param pricePerHour for one instance, as the site pays it
 * @param features what a constraint may name: architecture, fabric, NVMe
 */
public record Offering(OfferingId id, Resources resources, Money pricePerHour, Set<String> features) {
    public Offering {
        features = Set.copyOf(features);
    }
}
