package org.spillway.cloud.aws;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import org.spillway.cloud.SiteSettings;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;

/**
 * Prices of things per hour. Instances: as offered. The rest: Amazon's list prices in us-east-1 (VPC and EBS pricing
 * pages, 2025), of 730 hours a month; other regions differ, so the site's {@code prices} stand above them by the names
 * here, and are all there is when the budget is not in dollars.
 */
final class AwsFees {
    /** A NAT gateway, without its traffic. */
    private static final String NAT = "nat-gateway";

    private static final Money NAT_PRICE = Money.parse("0.045");
    /** A public IPv4 address, in use or not. */
    private static final String ADDRESS = "public-address";

    private static final Money ADDRESS_PRICE = Money.parse("0.005");
    /** A GiB of a gp3 disk: 0.08 a month. */
    private static final String DISK = "disk-gib";

    private static final Money DISK_PRICE = Money.parse("0.00011");
    /** A GiB of a snapshot: 0.05 a month. */
    private static final String SNAPSHOT = "snapshot-gib";

    private static final Money SNAPSHOT_PRICE = Money.parse("0.000069");
    private static final Duration REMEMBERED = Duration.ofMinutes(10);
    private final SiteSettings site;
    private final AwsOfferings offerings;
    private final InstantSource clock;
    private volatile Known known = new Known(Instant.MIN, Map.of());

    AwsFees(SiteSettings site, AwsOfferings offerings, InstantSource clock) {
        this.site = site;
        this.offerings = offerings;
        this.clock = clock;
    }

    private record Known(Instant at, Map<OfferingId, Money> prices) {
        Known {
            prices = Map.copyOf(prices);
        }
    }

    private Money fee(String name, Money otherwise) {
        return site.price(name, Market.ON_DEMAND).orElse(site.isInDollars() ? otherwise : Money.ZERO);
    }

    Money nat() {
        return fee(NAT, NAT_PRICE);
    }

    Money address() {
        return fee(ADDRESS, ADDRESS_PRICE);
    }

    Money disk(int gib) {
        return fee(DISK, DISK_PRICE).times(gib);
    }

    Money snapshot(int gib) {
        return fee(SNAPSHOT, SNAPSHOT_PRICE).times(gib);
    }

    /** Zero where nobody says a price. @throws software.amazon.awssdk.core.exception.SdkException as offerings do */
    Money instance(OfferingId offering) {
        Known now = known;
        if (!now.at().isAfter(clock.instant().minus(REMEMBERED))) {
            Map<OfferingId, Money> prices = new HashMap<>();
            for (Offering each : offerings.ask(clock.instant()).offerings()) {
                prices.put(each.id(), each.pricePerHour());
            }
            now = new Known(clock.instant(), prices);
            known = now;
        }
        Money price = now.prices().get(offering);
        return price == null ? Money.ZERO : price;
    }

    /** The price of a reserved and unused instance. */
    Money onDemand(String zone, String type) {
        return instance(new OfferingId(site.site(), zone, type, Market.ON_DEMAND));
    }
}
