package org.spillway.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.cloud.SiteSettings;

final class AzureSettingsTest {
    private static final String GUID = "11111111-2222-3333-4444-555555555555";
    private static final Map<String, String> LEAST =
            Map.of("subscription", GUID, "resourceGroup", "hpc", "location", "westeurope");

    private static AzureSettings read(Map<String, String> more) {
        return read(more, "USD");
    }

    private static AzureSettings read(Map<String, String> more, String currency) {
        Map<String, String> options = new HashMap<>(LEAST);
        options.putAll(more);
        options.values().removeIf(String::isEmpty);
        return AzureSettings.from(
                SiteSettings.of("c", "s", options, Path.of("/state")).withCurrency(currency));
    }

    @Test
    void leastIsEnoughAndTheRestHasDefaults() {
        AzureSettings settings = read(Map.of());
        assertThat(settings.login()).isEqualTo(new Login.ManagedIdentity(""));
        assertThat(settings.endpoint()).isEqualTo(URI.create("https://management.azure.com"));
        assertThat(settings.authority()).isEqualTo(URI.create("https://login.microsoftonline.com"));
        assertThat(settings.audience()).isEqualTo("https://management.azure.com");
        assertThat(settings.prices()).isEqualTo(URI.create("https://prices.azure.com/api/retail/prices"));
        assertThat(settings.image()).isEqualTo("Canonical:ubuntu-24_04-lts:server:latest");
        assertThat(settings.sshPort()).isEqualTo(22);
        assertThat(settings.timeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(settings.launchTime()).isEqualTo(Duration.ofSeconds(180));
        assertThat(settings.consistencyWindow()).isEqualTo(Duration.ofSeconds(30));
        assertThat(settings.networkCidr()).isEqualTo("10.77.0.0/16");
        assertThat(settings.diskType()).isEqualTo("StandardSSD_LRS");
        assertThat(settings.currency()).isEqualTo("USD");
        assertThat(settings.directorPublicAddress()).isTrue();
        assertThat(settings.encryptionAtHost()).isFalse();
        assertThat(settings.diskGib()).isZero();
        assertThat(settings.adminCidr() + settings.subnet() + settings.reservation())
                .isEmpty();
        assertThat(settings.offers("Standard_D2s_v5") && settings.uses("3")).isTrue();
        assertThat(settings.trust()).isNull();
        assertThat(settings.sshPublicKey()).isNull();
    }

    @Test
    void everyOptionIsRead() {
        AzureSettings settings = read(
                Map.ofEntries(
                        Map.entry("tenant", GUID),
                        Map.entry("clientId", GUID),
                        Map.entry("clientSecretFile", "secret"),
                        Map.entry("endpoint", "https://arm.example/"),
                        Map.entry("authority", "https://login.example"),
                        Map.entry("audience", "api://arm"),
                        Map.entry("caFile", "ca.pem"),
                        Map.entry("image", "/subscriptions/x/images/y"),
                        Map.entry("subnet", "/subscriptions/x/virtualNetworks/v/subnets/s"),
                        Map.entry("zones", "1, 2"),
                        Map.entry("types", "Standard_ND*,Standard_D2?_v5"),
                        Map.entry("sshPort", "2222"),
                        Map.entry("adminCidr", "192.0.2.0/24"),
                        Map.entry("networkCidr", "10.1.0.0/16"),
                        Map.entry("diskGiB", "64"),
                        Map.entry("diskType", "Premium_LRS"),
                        Map.entry("timeoutSeconds", "7"),
                        Map.entry("launchSeconds", "8"),
                        Map.entry("consistencySeconds", "9"),
                        Map.entry("pricesEndpoint", "none"),
                        Map.entry("currency", "EUR"),
                        Map.entry("reservation", "/subscriptions/x/capacityReservationGroups/r"),
                        Map.entry("directorPublicAddress", "false"),
                        Map.entry("encryptionAtHost", "true"),
                        Map.entry("sshPublicKeyFile", "key.pub")),
                "EUR");
        assertThat(settings.login()).isEqualTo(new Login.ClientSecret(GUID, GUID, Path.of("/state/secret")));
        assertThat(settings.endpoint()).isEqualTo(URI.create("https://arm.example"));
        assertThat(settings.audience()).isEqualTo("api://arm");
        assertThat(settings.trust()).isEqualTo(Path.of("/state/ca.pem"));
        assertThat(settings.uses("2")).isTrue();
        assertThat(settings.uses("3")).isFalse();
        assertThat(settings.offers("Standard_ND96isr_H100_v5")).isTrue();
        assertThat(settings.offers("Standard_D2s_v5")).isTrue();
        assertThat(settings.offers("Standard_D4s_v5")).isFalse();
        assertThat(settings.prices()).isNull();
        assertThat(settings.sshPublicKey()).isEqualTo(Path.of("/state/key.pub"));
        assertThat(settings.diskGib()).isEqualTo(64);
        assertThat(settings.sshPort()).isEqualTo(2222);
        assertThat(settings.launchTime()).isEqualTo(Duration.ofSeconds(8));
        assertThat(settings.directorPublicAddress()).isFalse();
        assertThat(settings.encryptionAtHost()).isTrue();
    }

    @Test
    void certificateIsTheOtherLogin() {
        assertThat(read(Map.of("tenant", "example.org", "clientId", GUID, "clientCertificateFile", "/k.pem"))
                        .login())
                .isEqualTo(new Login.Certificate("example.org", GUID, Path.of("/k.pem")));
        assertThat(read(Map.of("clientId", GUID)).login()).isEqualTo(new Login.ManagedIdentity(GUID));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "subscription|''|missing",
                "subscription|mine|GUID",
                "resourceGroup|''|missing",
                "resourceGroup|a/b|resource group",
                "location|''|missing",
                "location|West Europe|westeurope",
                "endpoint|http://management.azure.com|https://",
                "endpoint|https://user@host|https://",
                "authority|ftp://x|https://",
                "audience|management|URL",
                "image|ubuntu|publisher:offer:sku:version",
                "subnet|default|/subnets/NAME",
                "zones|1;2|zones such as",
                "types|Standard D2|sizes with",
                "sshPort|0|1 to 65535",
                "adminCidr|everywhere|192.0.2.7/32",
                "networkCidr|10.0.0.0|10.77.0.0/16",
                "diskGiB|-1|0 to 4095",
                "diskType|Fast|Premium_LRS",
                "timeoutSeconds|0|1 to 3600",
                "launchSeconds|soon|1 to 3600",
                "consistencySeconds|3601|0 to 3600",
                "pricesEndpoint|prices|https://",
                "currency|euro|three letters",
                "reservation|mine|resource id",
                "directorPublicAddress|yes|true, false",
                "encryptionAtHost|1|true, false",
                "identity|mine|the resource id of a user-assigned identity",
                "directorIdentity|/subscriptions/x|the resource id of a user-assigned identity",
                "diskEncryptionSet|keys|the resource id of a disk encryption set",
                "plan|publisher/product|PUBLISHER/PRODUCT/NAME",
                "tags|team|KEY=VALUE with commas between",
                "tags|Windows-team=1|keys that begin neither with spillway nor with microsoft, azure, windows",
                "clientId|me|GUID",
                "tenant|somewhere|of which there is none",
                "clientSecretFile|secret|missing",
                "colour|blue|allowed for driver azure: adminCidr, audience",
            })
    void mistakeIsNamedWithWhatIsAllowed(String key, String value, String told) {
        // An empty value takes the option away; a secret's file without a tenant misses the tenant.
        String named = key.equals("clientSecretFile") ? "tenant" : key;
        assertThatThrownBy(() -> read(Map.of(key, value)))
                .isInstanceOfSatisfying(SiteSettings.Invalid.class, invalid -> {
                    assertThat(invalid.key()).isEqualTo(named);
                    assertThat(invalid).hasMessageContaining(told);
                });
    }

    @Test
    void twoLoginsAreOneTooMany() {
        assertThatThrownBy(() -> read(Map.of("clientSecretFile", "a", "clientCertificateFile", "b")))
                .isInstanceOf(SiteSettings.Invalid.class)
                .hasMessageContaining("remove one");
    }
}
