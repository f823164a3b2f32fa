package org.spillway.cloud.azure;

import org.spillway.policy.Market;
import org.spillway.policy.Money;

/**
 * Hourly list prices in US dollars of what is no machine, from Microsoft's pricing pages for NAT gateways and public
 * addresses, November 2026, first European and American locations. The site's own prices under the same
 * words stand above them; in another currency only those are known.
 */
final class ListPrices {
    private ListPrices() {}

    static Money of(AzureParts parts, String what) {
        return parts.site()
                .price(what, Market.ON_DEMAND)
                .orElseGet(() -> parts.settings().currency().equals("USD") ? known(what) : Money.ZERO);
    }

    private static Money known(String what) {
        return switch (what) {
            case "nat-gateway" -> Money.parse("0.045");
            case "public-address" -> Money.parse("0.005");
            default -> Money.ZERO;
        };
    }
}
