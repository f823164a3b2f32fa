package org.spillway.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Finding C1: the vendor's links were compared as text. */
final class LinksTest {
    private static final String PRICES = "https://prices.azure.com/api/retail/prices";
    private static final String MANAGER = "https://management.azure.com";

    @ParameterizedTest
    @CsvSource({
        PRICES + ", https://prices.azure.com:443/api/retail/prices?$filter=a eq 'b'&$skip=100, true",
        PRICES + ", HTTPS://Prices.Azure.com/api/retail/prices?$skip=100, true",
        PRICES + ", https://prices.azure.com./api/retail/prices?$skip=100, true",
        PRICES + ", https://prices.azure.com:8443/api/retail/prices, false",
        PRICES + ", http://prices.azure.com:443/api/retail/prices, false",
        PRICES + ", https://prices.azure.com.example.org/api, false",
        PRICES + ", https://management.azure.com/subscriptions, false",
        PRICES + ", https://prices.azure.com@example.org/, false",
        MANAGER + ", https://management.azure.com:443/subscriptions/x?$skiptoken=%7b, true",
        MANAGER + ", https://westeurope.management.azure.com/subscriptions/x, true",
        MANAGER + ", https://westeurope.management.azure.com:443/subscriptions/x, true",
        MANAGER + ", https://evilmanagement.azure.com/subscriptions/x, false",
        MANAGER + ", https://management.azure.com.example.org/, false",
        MANAGER + ", https://management.usgovcloudapi.net/, false",
        "https://management.usgovcloudapi.net, https://usgovvirginia.management.usgovcloudapi.net/x, true",
        "https://127.0.0.1:4567, https://127.0.0.1:4567/x?y=%zz, true",
        "https://127.0.0.1:4567, https://127.0.0.1/x, false",
        "https://arm.example.org, https://sub.arm.example.org/x, false",
        MANAGER + ", /subscriptions/x, false",
        MANAGER + ", '', false",
    })
    void aLinkIsFollowedToTheVendorOnly(String endpoint, String link, boolean home) {
        assertThat(Links.isHome(URI.create(endpoint), link)).isEqualTo(home);
    }
}
