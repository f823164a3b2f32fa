package org.spillway.cloud;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.spillway.policy.Market;
import org.spillway.policy.Money;

/**
 * The configuration's words about one site.
 *
 * @param cluster name of the Spillway cluster: only instances that bear it are ever listed or ended
 * @param site name of the site, unique in the cluster
 * @param options the driver's own keys; secrets are named by the path of a file of mode 600, never given here
 * @param prices the site's own, per hour by instance type, or by {@code TYPE/spot} and {@code TYPE/reserved}: they
 *     stand above what the provider says
 * @param currency of the head's budget, three capital letters. All prices of a site are in it: the site's own as they
 *     are, a provider's only when it names them in this currency. Nothing is converted
 * @param stateDirectory where a driver may keep a cache; losing it loses nothing
 * @param networkOf name of the cluster whose network ({@link Network}) the site's instances stand in: this one, but for a
 *     child, which stands in its parent's
 * @param recorder takes note of all calls
 */
public record SiteSettings(
        String cluster,
        String site,
        Map<String, String> options,
        Map<String, Money> prices,
        String currency,
        Path stateDirectory,
        String networkOf,
        Recorder recorder) {
    public static final String DOLLARS = "USD";

    public SiteSettings {
        options = Map.copyOf(options);
        prices = Map.copyOf(prices);
        if (!currency.matches("[A-Z]{3}")) {
            throw new IllegalArgumentException("not a currency: '" + currency + "'");
        }
    }

    /** Without prices of its own, in US dollars, with a network of its own. */
    public static SiteSettings of(String cluster, String site, Map<String, String> options, Path stateDirectory) {
        return new SiteSettings(cluster, site, options, Map.of(), DOLLARS, stateDirectory, cluster, Recorder.NONE);
    }

    /** The same with other options. */
    public SiteSettings withOptions(Map<String, String> other) {
        return new SiteSettings(cluster, site, other, prices, currency, stateDirectory, networkOf, recorder);
    }

    /** The same with other prices of its own. */
    public SiteSettings withPrices(Map<String, Money> other) {
        return new SiteSettings(cluster, site, options, other, currency, stateDirectory, networkOf, recorder);
    }

    /** The same in another currency. @throws IllegalArgumentException if it is not three capital letters */
    public SiteSettings withCurrency(String other) {
        return new SiteSettings(cluster, site, options, prices, other, stateDirectory, networkOf, recorder);
    }

    /** The same account and network under another cluster's name. */
    public SiteSettings withCluster(String other) {
        return new SiteSettings(other, site, options, prices, currency, stateDirectory, networkOf, recorder);
    }

    /** The same, with its calls noted. */
    public SiteSettings withRecorder(Recorder other) {
        return new SiteSettings(cluster, site, options, prices, currency, stateDirectory, networkOf, other);
    }

    /** Whether its instances stand in another cluster's network. */
    public boolean isGuest() {
        return !cluster.equals(networkOf);
    }

    /** The price of one instance and hour that the site itself says it pays. */
    public Optional<Money> price(String instanceType, Market market) {
        String suffix = market == Market.ON_DEMAND ? "" : "/" + market.name().toLowerCase(Locale.ROOT);
        return Optional.ofNullable(prices.get(instanceType + suffix));
    }

    /** Whether the budget is in US dollars. */
    public boolean isInDollars() {
        return currency.equals(DOLLARS);
    }

    /** A setting that cannot be used. The message says what was found and what is allowed. */
    public static final class Invalid extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final String key;

        public Invalid(String key, String message) {
            super(message);
            this.key = key;
        }

        /** The key below the site's options, such as {@code endpoint}; or {@code prices}, which stands beside them. */
        public String key() {
            return key;
        }
    }
}
