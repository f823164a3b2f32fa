package org.spillway.api;

import java.util.List;

/**
 * Something that takes a provider's time.
 *
 * @param kind {@code audit}, {@code delete}, {@code create-network} or {@code delete-network}
 * @param things for {@code delete}: what is to go, 1 to 1000; empty for the others
 */
public record ErrandOrder(String kind, String site, List<ThingName> things) {
    public static final List<String> KINDS = List.of("audit", "delete", "create-network", "delete-network");

    public ErrandOrder {
        things = List.copyOf(things);
    }

    /** One thing of a bill, by the provider's words. */
    public record ThingName(String kind, String id) {}
}
