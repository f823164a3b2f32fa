package org.spillway.cloud;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.spillway.policy.Market;
import org.spillway.policy.Money;

/**
 * What the configuration says about one site.
 *
 * @param cluster name of the Spillway cluster: only instances that bear it are ever listed or ended
 * @param site name of the site, unique in the cluster
 * @param options the driver's own keys; secrets are named by the path of a file of mode 600, never given here
 * @param prices the site's own, per hour by instance type, or by {@code TYPE/spot} and {@code TYPE/reserved}: they
 *     stand above what the provider says
 * @param stateDirectory where a driver may keep a cache; losing it loses nothing
 */
public record SiteSettings(
        String cluster, String site, Map<String, String> options, Map<String, Money> prices, Path stateDirectory) {
    public SiteSettings {
        options = Map.copyOf(options);
        prices = Map.copyOf(prices);
    }

    public SiteSettings(String cluster, String site, Map<String, String> options, Path stateDirectory) {
        this(cluster, site, options, Map.of(), stateDirectory);
    }

    /** What the site itself says that it pays for one instance and hour. */
    public Optional<Money> price(String instanceType, Market market) {
        String suffix = market == Market.ON_DEMAND ? "" : "/" + market.name().toLowerCase(Locale.ROOT);
        return Optional.ofNullable(prices.get(instanceType + suffix));
    }

    /** A setting that cannot be used. The message says what was found and what is allowed. */
    public static final class Invalid extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final String key;

        public Invalid(String key, String message) {
            super(message);
            this.key = key;
        }

        /** The key below the site's section, such as {@code endpoint}. */
        public String key() {
            return key;
        }
    }
}
