package org.spillway.cloud.aws;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.cloud.SiteSettings;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Money;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.ec2.model.DescribeSpotPriceHistoryRequest;
import software.amazon.awssdk.services.ec2.model.SpotPrice;
import software.amazon.awssdk.services.pricing.model.Filter;
import software.amazon.awssdk.services.pricing.model.FilterType;
import software.amazon.awssdk.services.pricing.model.GetProductsRequest;

/**
 * Prices of instances per hour: on demand by the price list, kept on disk for a day; spot by its history's last entry.
 */
final class AwsPrices {
    private static final Logger LOG = LoggerFactory.getLogger(AwsPrices.class);
    private static final Duration FRESH = Duration.ofDays(1);
    /** A list that cannot be renewed is used for so long. */
    private static final Duration USABLE = Duration.ofDays(7);

    private static final int PAGE = 100;
    private static final int SPOT_PAGE = 1000;
    private static final int SPOT_TYPES = 100;
    private static final ObjectMapper JSON = new ObjectMapper();
    private final AwsClients clients;
    private final AwsSettings settings;
    private final String currency;
    private final Path cache;
    private volatile String note = "";

    AwsPrices(AwsClients clients, AwsSettings settings, SiteSettings site) {
        this.clients = clients;
        this.settings = settings;
        this.currency = site.currency();
        this.cache = site.stateDirectory().resolve("aws-prices-" + settings.region() + ".json");
    }

    /** When a list was read, and what is in it. */
    record Cached(Instant at, Map<String, Money> prices) {
        Cached {
            prices = Map.copyOf(prices);
        }
    }

    /** Why there is no price list; empty if there is. */
    String note() {
        return note;
    }

    /** Amazon has no others, neither in its list nor in the spot history. */
    private boolean areDollarsWanted() {
        return currency.equals(SiteSettings.DOLLARS);
    }

    /** By type; empty where there is no price list for this account, endpoint or currency. */
    Map<String, Money> onDemand(Instant now) {
        if (!areDollarsWanted()) {
            note = "EC2's prices are in USD, the budget is in " + currency + ": only the site's own prices count";
            return Map.of();
        }
        if (settings.endpoint() != null && settings.pricingEndpoint() == null) {
            note = "endpoint has no price list; give pricingEndpoint, or prices";
            return Map.of();
        }
        Optional<Cached> cached = cached();
        if (cached.isPresent() && cached.get().at().plus(FRESH).isAfter(now)) {
            note = "";
            return cached.get().prices();
        }
        try {
            Map<String, Money> prices = ask();
            if (prices.isEmpty()) {
                note = "the price list is empty";
                return cached.filter(old -> old.at().plus(USABLE).isAfter(now))
                        .map(Cached::prices)
                        .orElse(prices);
            }
            note = "";
            keep(new Cached(now, prices));
            return prices;
        } catch (SdkException failed) {
            if (cached.isPresent() && cached.get().at().plus(USABLE).isAfter(now)) {
                note = "price list of " + cached.get().at() + ": " + AwsErrors.describe(failed);
                return cached.get().prices();
            }
            if (AwsErrors.reason(failed) == Reason.CREDENTIALS) {
                note = "no price list: " + AwsErrors.describe(failed);
                return Map.of();
            }
            throw failed;
        }
    }

    private Map<String, Money> ask() {
        GetProductsRequest request = GetProductsRequest.builder()
                .serviceCode("AmazonEC2")
                .filters(
                        term("regionCode", settings.region()),
                        term("operatingSystem", "Linux"),
                        term("tenancy", "Shared"),
                        term("preInstalledSw", "NA"),
                        term("capacitystatus", "Used"))
                .maxResults(PAGE)
                .build();
        Map<String, Money> prices = new HashMap<>();
        AwsPages.all(
                        "GetProducts",
                        token -> clients.pricing()
                                .getProducts(
                                        request.toBuilder().nextToken(token).build()),
                        answer -> answer.priceList(),
                        answer -> answer.nextToken())
                .forEach(product -> read(product, prices));
        return prices;
    }

    private static Filter term(String field, String value) {
        return Filter.builder()
                .type(FilterType.TERM_MATCH)
                .field(field)
                .value(value)
                .build();
    }

    /** A product that is no hourly instance is passed over. */
    static void read(String product, Map<String, Money> prices) {
        try {
            JsonNode json = JSON.readTree(product);
            String type =
                    json.path("product").path("attributes").path("instanceType").asText();
            for (JsonNode term : json.path("terms").path("OnDemand")) {
                for (JsonNode dimension : term.path("priceDimensions")) {
                    String price = dimension.path("pricePerUnit").path("USD").asText();
                    if (!type.isEmpty() && dimension.path("unit").asText().equals("Hrs") && isPrice(price)) {
                        prices.merge(type, money(price), (a, b) -> a.isMoreThan(b) ? a : b);
                    }
                }
            }
        } catch (JsonProcessingException notJson) {
            LOG.warn("a product of the price list is not JSON");
        }
    }

    private static boolean isPrice(String text) {
        return text.matches("[0-9]{1,7}(\\.[0-9]{1,12})?") && money(text).micros() > 0;
    }

    /** Rounded up: an estimate must never be below the bill. */
    static Money money(String decimal) {
        return new Money(new BigDecimal(decimal)
                .movePointRight(6)
                .setScale(0, RoundingMode.CEILING)
                .longValueExact());
    }

    /** By zone and type, separated by a slash: what is paid now. Empty when the budget is not in dollars. */
    Map<String, Money> spot(List<String> types, Instant now) {
        if (!areDollarsWanted()) {
            return Map.of();
        }
        Map<String, Money> prices = new HashMap<>();
        Map<String, Instant> times = new HashMap<>();
        for (int from = 0; from < types.size(); from += SPOT_TYPES) {
            List<String> some = types.subList(from, Math.min(types.size(), from + SPOT_TYPES));
            DescribeSpotPriceHistoryRequest request = DescribeSpotPriceHistoryRequest.builder()
                    .instanceTypesWithStrings(some)
                    .productDescriptions("Linux/UNIX")
                    .startTime(now)
                    .maxResults(SPOT_PAGE)
                    .build();
            List<SpotPrice> history = AwsPages.all(
                    "DescribeSpotPriceHistory",
                    token -> clients.ec2()
                            .describeSpotPriceHistory(
                                    request.toBuilder().nextToken(token).build()),
                    answer -> answer.spotPriceHistory(),
                    answer -> answer.nextToken());
            for (SpotPrice each : history) {
                String key = each.availabilityZone() + "/" + each.instanceTypeAsString();
                Instant before = times.get(key);
                if (isPrice(each.spotPrice())
                        && (before == null || each.timestamp().isAfter(before))) {
                    times.put(key, each.timestamp());
                    prices.put(key, money(each.spotPrice()));
                }
            }
        }
        return prices;
    }

    private Optional<Cached> cached() {
        try {
            if (!Files.exists(cache)) {
                return Optional.empty();
            }
            JsonNode json = JSON.readTree(cache.toFile());
            Map<String, Money> prices = new HashMap<>();
            json.path("prices")
                    .properties()
                    .forEach(each -> prices.put(
                            each.getKey(), Money.parse(each.getValue().asText())));
            boolean same = json.path("schema").asInt() == 1
                    && json.path("source").asText().equals(source());
            return same ? Optional.of(new Cached(Instant.parse(json.path("at").asText()), prices)) : Optional.empty();
        } catch (IOException | RuntimeException damaged) {
            LOG.warn("{} cannot be read and is made anew", cache.getFileName());
            return Optional.empty();
        }
    }

    private String source() {
        return settings.pricingEndpoint() == null
                ? "aws"
                : settings.pricingEndpoint().toString();
    }

    private void keep(Cached list) {
        ObjectNode json = JSON.createObjectNode();
        json.put("schema", 1).put("source", source()).put("at", list.at().toString());
        ObjectNode prices = json.putObject("prices");
        list.prices().forEach((type, price) -> prices.put(type, price.toString()));
        try {
            Files.createDirectories(cache.toAbsolutePath().getParent());
            Path next = Files.createTempFile(cache.toAbsolutePath().getParent(), "aws-prices", ".new");
            try {
                JSON.writeValue(next.toFile(), json);
                Files.move(next, cache, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } finally {
                Files.deleteIfExists(next);
            }
        } catch (IOException full) {
            LOG.warn("{} cannot be written: {}", cache.getFileName(), full.toString());
        }
    }
}
