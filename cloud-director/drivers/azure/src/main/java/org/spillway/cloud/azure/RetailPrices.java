package org.spillway.cloud.azure;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import org.spillway.cloud.CloudException;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.Money;

/**
 * List prices of Linux machines in one location, from the anonymous retail prices API ("Azure Retail Prices overview").
 * Kept on disk for a day; a list of up to a week is used when the API does not answer.
 */
final class RetailPrices {
    /** A number with more digits is no price, and takes long to reckon with. */
    private static final int MOST_DIGITS = 20;

    private static final Duration FRESH = Duration.ofDays(1);
    private static final Duration USABLE = Duration.ofDays(7);
    private static final int MAX_PAGES = 300;
    static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();
    private final AzureSettings settings;
    private final Arm arm;
    private final Path cache;

    RetailPrices(AzureSettings settings, Arm arm, Path stateDirectory) {
        this.settings = settings;
        this.arm = arm;
        this.cache = stateDirectory.resolve(fileName(settings));
    }

    /** Two sources may have two lists for places of one name. */
    static String fileName(AzureSettings settings) {
        String source = HexFormat.of().formatHex(Names.digest(String.valueOf(settings.prices())), 0, 4);
        return "azure-prices-" + settings.location() + "-" + settings.currency() + "-" + source + ".json";
    }

    /** Prices by key, see {@link #key}. @param at when they were asked for */
    record Prices(Instant at, Map<String, Money> byKey) {
        Prices {
            byKey = Map.copyOf(byKey);
        }

        Optional<Money> of(String size, Market market) {
            return Optional.ofNullable(byKey.get(key(size, market)));
        }
    }

    static String key(String size, Market market) {
        return market == Market.SPOT ? size + "/spot" : size;
    }

    /** @throws CloudException if there is no list that is young enough */
    synchronized Prices at(Instant now) throws CloudException {
        URI source = settings.prices();
        if (source == null) {
            return new Prices(now, Map.of());
        }
        Optional<Prices> kept = read();
        if (kept.isPresent() && isYounger(kept.get(), FRESH, now)) {
            return kept.get();
        }
        try {
            Prices fresh = new Prices(now, load(source));
            write(fresh);
            return fresh;
        } catch (CloudException away) {
            if (kept.isPresent() && isYounger(kept.get(), USABLE, now)) {
                return kept.get();
            }
            throw away;
        }
    }

    private static boolean isYounger(Prices prices, Duration age, Instant now) {
        return prices.at().plus(age).isAfter(now) && !prices.at().isAfter(now.plus(age));
    }

    private Map<String, Money> load(URI source) throws CloudException {
        String filter = "serviceName eq 'Virtual Machines' and armRegionName eq '" + settings.location()
                + "' and priceType eq 'Consumption'";
        String next = source + "?currencyCode='" + settings.currency() + "'&$filter="
                + URLEncoder.encode(filter, StandardCharsets.UTF_8);
        Map<String, Money> all = new HashMap<>();
        for (int page = 0; !next.isEmpty(); page++) {
            if (page == MAX_PAGES) {
                throw new CloudException(Reason.THROTTLED, "retail prices: no end after " + page + " pages");
            }
            if (!Links.isHome(source, next)) {
                throw new CloudException(
                        Reason.THROTTLED, "retail prices: the next page is elsewhere, at " + Arm.line(next));
            }
            JsonNode body = page(next.replace("'", "%27").replace(" ", "%20"));
            requireCurrency(body.path("BillingCurrency").asText(settings.currency()));
            for (JsonNode item : body.path("Items")) {
                requireCurrency(item.path("currencyCode").asText(settings.currency()));
                add(all, item);
            }
            JsonNode link = body.path("NextPageLink");
            next = link.isTextual() ? link.asText() : "";
        }
        if (all.isEmpty()) {
            throw new CloudException(Reason.INVALID, "retail prices: none for location " + settings.location());
        }
        return all;
    }

    /** A list that does not know the currency may answer in its own. */
    private void requireCurrency(String said) throws CloudException {
        if (!said.equals(settings.currency())) {
            throw new CloudException(
                    Reason.INVALID,
                    "retail prices: asked for in " + settings.currency() + ", told in " + Arm.line(said)
                            + "; set the head's currency to one that the list knows, or 'pricesEndpoint: none' and the"
                            + " site's own prices");
        }
    }

    private JsonNode page(String url) throws CloudException {
        try {
            JsonNode body = JSON.readTree(arm.fetch(url).orThrow());
            if (body.path("Items").isArray()) {
                return body;
            }
            throw new CloudException(Reason.THROTTLED, "retail prices: a page without items");
        } catch (IOException | IllegalArgumentException bad) {
            throw new CloudException(Reason.THROTTLED, "retail prices: a page cannot be read", bad);
        }
    }

    /** Of two prices for one size the higher counts: an estimate must never be below the bill. */
    static void add(Map<String, Money> all, JsonNode item) {
        String size = item.path("armSkuName").asText("");
        String product = item.path("productName").asText("");
        String sku = item.path("skuName").asText("");
        boolean other = product.contains("Windows")
                || product.contains("CloudServices")
                || product.contains("Cloud Services")
                || sku.contains("Low Priority");
        BigDecimal price = item.path("retailPrice").decimalValue();
        if (price.precision() > MOST_DIGITS || Math.abs(price.scale()) > MOST_DIGITS) {
            return;
        }
        if (size.isEmpty() || other || !item.path("unitOfMeasure").asText("").equals("1 Hour") || price.signum() <= 0) {
            return;
        }
        Money money = new Money(
                price.movePointRight(6).setScale(0, RoundingMode.CEILING).longValueExact());
        Market market = sku.contains("Spot") ? Market.SPOT : Market.ON_DEMAND;
        all.merge(key(size, market), money, (one, two) -> one.isMoreThan(two) ? one : two);
    }

    private Optional<Prices> read() {
        try {
            JsonNode tree = JSON.readTree(Files.readAllBytes(cache));
            Map<String, Money> all = new HashMap<>();
            tree.path("prices")
                    .properties()
                    .forEach(each ->
                            all.put(each.getKey(), Money.parse(each.getValue().asText())));
            return all.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new Prices(Instant.parse(tree.path("at").asText()), all));
        } catch (IOException | DateTimeException | NumberFormatException none) {
            return Optional.empty();
        }
    }

    /** Losing it loses nothing. */
    private void write(Prices prices) {
        ObjectNode tree = JSON.createObjectNode().put("at", prices.at().toString());
        ObjectNode all = tree.putObject("prices");
        prices.byKey().forEach((key, money) -> all.put(key, money.toString()));
        try {
            Files.createDirectories(cache.toAbsolutePath().getParent());
            Path next = Files.createTempFile(cache.toAbsolutePath().getParent(), ".azure-prices", ".new");
            Files.write(next, JSON.writeValueAsBytes(tree));
            Files.move(next, cache, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException unwritable) {
            System.getLogger(RetailPrices.class.getName())
                    .log(System.Logger.Level.WARNING, "{0} cannot be written", cache);
        }
    }
}
