package org.spillway.cloud.azure;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Whether a link of the provider may be followed: it would be sent the token. Compared as addresses and not as text, for
 * the vendor writes its default port into links ({@code "NextPageLink":"https://prices.azure.com:443/api/retail/prices?..."},
 * "Azure Retail Prices REST API overview").
 */
final class Links {
    private static final int DEFAULT_PORT = 443;
    /**
     * Resource managers of the vendor's clouds ("Azure Government developer guide", "Azure China developer guide"); a
     * regional one is a name in front of it ({@code westeurope.management.azure.com}).
     */
    private static final Set<String> MANAGERS =
            Set.of("management.azure.com", "management.usgovcloudapi.net", "management.chinacloudapi.cn");

    private Links() {}

    /** Whether a link leads to the endpoint, or to a region's own host of the vendor whose endpoint it is. */
    static boolean isHome(URI endpoint, String link) {
        Optional<URI> found = read(link);
        if (found.isEmpty() || found.get().getRawUserInfo() != null) {
            return false;
        }
        URI there = found.get();
        boolean sameScheme = "https".equalsIgnoreCase(there.getScheme());
        String home = host(endpoint);
        String host = host(there);
        boolean sameHost = host.equals(home) || (MANAGERS.contains(home) && host.endsWith("." + home));
        return sameScheme && sameHost && port(there) == port(endpoint);
    }

    /** Of a link as written: some have spaces and quotes in their query. */
    private static Optional<URI> read(String link) {
        int query = link.indexOf('?');
        try {
            URI uri = new URI(query < 0 ? link : link.substring(0, query));
            return uri.getHost() == null ? Optional.empty() : Optional.of(uri);
        } catch (URISyntaxException none) {
            return Optional.empty();
        }
    }

    private static String host(URI uri) {
        String host = uri.getHost() == null ? "" : uri.getHost().toLowerCase(Locale.ROOT);
        return host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
    }

    private static int port(URI uri) {
        return uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort();
    }
}
