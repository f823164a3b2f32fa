package org.spillway.cloud.azure;

import com.azure.core.util.Context;
import com.azure.resourcemanager.compute.fluent.models.ResourceSkuInner;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.SiteSettings;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;

/** Sizes that this subscription may buy, and what they cost. */
final class Catalogue {
    private static final System.Logger LOG = System.getLogger(Catalogue.class.getName());
    private final SiteSettings site;
    private final AzureSettings settings;
    private final Arm arm;
    private final RetailPrices retail;
    private volatile Map<String, Size> known = Map.of();

    Catalogue(SiteSettings site, AzureSettings settings, Arm arm) {
        this.site = site;
        this.settings = settings;
        this.arm = arm;
        this.retail = new RetailPrices(settings, arm, site.stateDirectory());
    }

    /** Asks for all sizes of the location. */
    Map<String, Size> sizes() throws CloudException {
        String filter = "location eq '" + settings.location() + "'";
        List<ResourceSkuInner> skus =
                arm.pages(() -> arm.compute().getResourceSkus().list(filter, null, Context.NONE));
        Map<String, Size> all = new HashMap<>();
        for (ResourceSkuInner sku : skus) {
            Size.of(sku, settings.location(), settings.machine().smt()).ifPresent(size -> all.put(size.name(), size));
        }
        known = Map.copyOf(all);
        return all;
    }

    /** The size as last heard; asks only when nothing was heard yet. */
    Optional<Size> size(String name) throws CloudException {
        Map<String, Size> held = known.isEmpty() ? sizes() : known;
        return Optional.ofNullable(held.get(name));
    }

    /** The same without asking. */
    Optional<Size> heard(String name) {
        return Optional.ofNullable(known.get(name));
    }

    /** A size without a price is not for sale: zero would let every budget pass. */
    List<Offering> offerings(Instant now) throws CloudException {
        List<Size> chosen = sizes().values().stream()
                .filter(size -> settings.offers(size.name()))
                .toList();
        RetailPrices.Prices prices = retail.at(now);
        List<AzureReservations.Reserved> reserved = reserved();
        List<Offering> all = new ArrayList<>();
        for (Size size : chosen) {
            for (Market market : Market.values()) {
                Optional<Money> price = price(size.name(), market, prices);
                if (price.isEmpty()) {
                    continue;
                }
                for (String zone : zones(size, market, reserved)) {
                    if (settings.uses(zone)) {
                        all.add(Offering.of(
                                        new OfferingId(site.site(), zone, size.name(), market),
                                        size.resources(),
                                        price.get())
                                .withFeatures(features(size, market))
                                .withGpuMemoryBytes(size.gpuMemoryBytes())
                                .withQuotaFamily(AzureQuotas.family(size, market)));
                    }
                }
            }
        }
        return all;
    }

    /**
     * InfiniBand is had in an availability set, and "Azure Spot Virtual Machine is not supported in Availability Set" ("Error
     * messages for Azure Spot Virtual Machines and scale sets"): spot machines of such a size are single ones. So are reserved
     * ones: neither availability sets nor proximity placement groups are supported ("On-demand capacity reservation").
     */
    static Set<String> features(Size size, Market market) {
        Set<String> features = new HashSet<>(size.features());
        if (market != Market.ON_DEMAND) {
            features.remove(Size.INFINIBAND);
        }
        return features;
    }

    private static Set<String> zones(Size size, Market market, List<AzureReservations.Reserved> reserved) {
        return switch (market) {
            case ON_DEMAND -> size.zones();
            case SPOT -> size.spot() ? size.zones() : Set.of();
            case RESERVED ->
                reserved.stream()
                        .filter(each -> each.size().equalsIgnoreCase(size.name()) && each.total() > 0)
                        .map(AzureReservations.Reserved::zone)
                        .collect(Collectors.toCollection(TreeSet::new));
        };
    }

    /** None when they cannot be looked at; the doctor says why. */
    private List<AzureReservations.Reserved> reserved() {
        if (settings.reservation().isEmpty()) {
            return List.of();
        }
        try {
            return new AzureReservations(settings, arm).look(settings.reservation());
        } catch (CloudException unseen) {
            LOG.log(System.Logger.Level.WARNING, "nothing reserved is offered: {0}", unseen.getMessage());
            return List.of();
        }
    }

    /** Zero if nobody knows. */
    Money price(OfferingId offering, Instant now) throws CloudException {
        return price(offering.instanceType(), offering.market(), retail.at(now)).orElse(Money.ZERO);
    }

    /** Nobody but the site knows what its reservation costs. */
    private Optional<Money> price(String size, Market market, RetailPrices.Prices prices) {
        return site.price(size, market)
                .or(() -> market == Market.RESERVED ? Optional.empty() : prices.of(size, market));
    }
}
