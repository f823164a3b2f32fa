package org.spillway.cloud;

import java.util.Map;
import org.spillway.policy.Money;

/**
 * Something on the bill.
 *
 * @param kind the provider's own word: instance, volume, snapshot, address, ...
 * @param pricePerHour zero where the provider charges nothing for it as such
 */
public record Billable(String kind, String id, Money pricePerHour, Map<String, String> tags) {
    public Billable {
        tags = Map.copyOf(tags);
    }
}
