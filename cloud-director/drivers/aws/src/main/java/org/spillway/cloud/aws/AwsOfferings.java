package org.spillway.cloud.aws;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.spillway.cloud.SiteSettings;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.ec2.model.DescribeInstanceTypeOfferingsRequest;
import software.amazon.awssdk.services.ec2.model.InstanceTypeOffering;
import software.amazon.awssdk.services.ec2.model.LocationType;

/** Offerings of the site: where, as what, and for how much. */
final class AwsOfferings {
    private static final int PAGE = 1000;
    private final SiteSettings site;
    private final AwsSettings settings;
    private final AwsClients clients;
    private final AwsCatalogue catalogue;
    private final AwsPrices prices;
    private final AwsPlaces places;
    private final AwsReservations reservations;

    AwsOfferings(
            SiteSettings site,
            AwsSettings settings,
            AwsClients clients,
            AwsCatalogue catalogue,
            AwsPrices prices,
            AwsPlaces places) {
        this.reservations = new AwsReservations(site, clients);
        this.site = site;
        this.settings = settings;
        this.clients = clients;
        this.catalogue = catalogue;
        this.prices = prices;
        this.places = places;
    }

    /**
     * @param unpriced types that are for sale, but for which nobody says a price: they are not offered
     * @param unfit types of another architecture than the site's image: they are not offered
     */
    record Answer(List<Offering> offerings, Set<String> unpriced, Set<String> unfit) {
        Answer {
            offerings = List.copyOf(offerings);
            unpriced = Set.copyOf(unpriced);
            unfit = Set.copyOf(unfit);
        }
    }

    /** @throws software.amazon.awssdk.core.exception.SdkException if one of the lists is not whole */
    Answer ask(Instant now) {
        Map<String, AwsType> types = catalogue.offered();
        List<InstanceTypeOffering> zones = zones();
        Map<String, Money> onDemand = new HashMap<>();
        boolean sitePaysAll = types.keySet().stream()
                .allMatch(t -> site.price(t, Market.ON_DEMAND).isPresent());
        onDemand.putAll(sitePaysAll ? Map.of() : prices.onDemand(now));
        Map<String, Money> spot = prices.spot(
                types.values().stream().filter(AwsType::spot).map(AwsType::name).toList(), now);
        Set<String> reserved = reservedOrNone();
        Optional<Set<String>> usable = places.zones();
        List<Offering> offerings = new ArrayList<>();
        Set<String> unpriced = new TreeSet<>();
        Set<String> unfit = new TreeSet<>();
        for (InstanceTypeOffering each : zones) {
            AwsType type = types.get(each.instanceTypeAsString());
            String zone = each.location();
            if (type == null || (usable.isPresent() && !usable.get().contains(zone))) {
                continue;
            }
            if (!catalogue.fits(type)) {
                unfit.add(type.name());
                continue;
            }
            Optional<Money> fixed =
                    site.price(type.name(), Market.ON_DEMAND).or(() -> Optional.ofNullable(onDemand.get(type.name())));
            if (type.onDemand() && fixed.isEmpty()) {
                unpriced.add(type.name());
            }
            if (type.onDemand()) {
                fixed.ifPresent(price -> offerings.add(offering(type, zone, Market.ON_DEMAND, price)));
            }
            if (type.spot()) {
                site.price(type.name(), Market.SPOT)
                        .or(() -> Optional.ofNullable(spot.get(zone + "/" + type.name())))
                        .ifPresent(price -> offerings.add(offering(type, zone, Market.SPOT, price)));
            }
            if (reserved.contains(zone + "/" + type.name())) {
                site.price(type.name(), Market.RESERVED)
                        .or(() -> fixed)
                        .ifPresent(price -> offerings.add(offering(type, zone, Market.RESERVED, price)));
            }
        }
        return new Answer(offerings, unpriced, unfit);
    }

    private Offering offering(AwsType type, String zone, Market market, Money price) {
        return Offering.of(
                        new OfferingId(site.site(), zone, type.name(), market),
                        type.resources(settings.diskGib(), settings.machine().smt()),
                        price)
                .withFeatures(type.features())
                .withGpuMemoryBytes(type.gpuMemoryBytes())
                .withQuotaFamily(AwsQuotas.code(type.name(), market).orElse(""));
    }

    private List<InstanceTypeOffering> zones() {
        DescribeInstanceTypeOfferingsRequest request = DescribeInstanceTypeOfferingsRequest.builder()
                .locationType(LocationType.AVAILABILITY_ZONE)
                .filters(AwsTags.filter("instance-type", settings.types().toArray(new String[0])))
                .maxResults(PAGE)
                .build();
        return AwsPages.all(
                "DescribeInstanceTypeOfferings",
                token -> clients.ec2()
                        .describeInstanceTypeOfferings(
                                request.toBuilder().nextToken(token).build()),
                answer -> answer.instanceTypeOfferings(),
                answer -> answer.nextToken());
    }

    /** A policy without that right costs the market RESERVED and no other. */
    private Set<String> reservedOrNone() {
        try {
            return reserved();
        } catch (SdkException denied) {
            if (AwsErrors.reason(denied) == Reason.CREDENTIALS
                    && AwsErrors.code(denied).startsWith("Unauthorized")) {
                return Set.of();
            }
            throw denied;
        }
    }

    /**
     * Zone and type of what is reserved and may be used here, separated by a slash.
     *
     * @throws SdkException also without the right
     */
    Set<String> reserved() {
        Set<String> found = new TreeSet<>();
        reservations.look().usable().forEach(each -> found.add(each.zone() + "/" + each.type()));
        return found;
    }
}
