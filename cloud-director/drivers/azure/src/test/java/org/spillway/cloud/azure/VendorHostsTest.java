package org.spillway.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.azure.core.http.HttpClient;
import com.azure.core.http.HttpHeaderName;
import com.azure.core.http.HttpMethod;
import com.azure.core.http.HttpRequest;
import com.azure.core.http.HttpResponse;
import com.azure.core.util.Context;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.SiteSettings;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import reactor.core.publisher.Mono;

/** The emulator behind the vendor's own names, whose links have the default port (finding C1). */
final class VendorHostsTest {
    @TempDir
    private static Path directory;

    private static ArmCloud cloud;
    private static final List<String> SENT = Collections.synchronizedList(new ArrayList<>());

    @BeforeAll
    static void startCloud() throws Exception {
        cloud = new ArmCloud(directory, """
                zones: [a]
                types:
                  - {name: small, cpus: 2, memoryGiB: 4, pricePerHour: 0.4, spotPricePerHour: 0.1}
                  - {name: medium, cpus: 4, memoryGiB: 8, pricePerHour: 0.8, spotPricePerHour: 0.2}
                  - {name: paper, cpus: 1, memoryGiB: 1, process: false, capacity: 2000, bootSeconds: 0}
                """);
    }

    @AfterAll
    static void endCloud() throws Exception {
        cloud.close();
    }

    /** Leads the vendor's names to the emulator, which is told by which it was called. */
    private record Door(HttpClient client, String endpoint) implements HttpClient {
        @Override
        public Mono<HttpResponse> send(HttpRequest request) {
            return client.send(led(request));
        }

        @Override
        public Mono<HttpResponse> send(HttpRequest request, Context context) {
            return client.send(led(request), context);
        }

        @Override
        public HttpResponse sendSync(HttpRequest request, Context context) {
            return client.sendSync(led(request), context);
        }

        private HttpRequest led(HttpRequest request) {
            URI asked = URI.create(request.getUrl().toString());
            SENT.add(asked.getAuthority());
            return request.copy()
                    .setUrl(endpoint + asked.toString().replaceFirst("^https://[^/]+", ""))
                    .setHeader(HttpHeaderName.fromString("X-Forwarded-Host"), asked.getHost());
        }
    }

    private static AzureSettings settings() throws Exception {
        Map<String, String> options = cloud.options();
        options.put("endpoint", "https://management.azure.com");
        options.put("authority", "https://login.microsoftonline.com");
        options.put("pricesEndpoint", "https://prices.azure.com/api/retail/prices");
        return AzureSettings.from(SiteSettings.of("c", "s", options, directory));
    }

    private static Arm arm(AzureSettings settings) throws Exception {
        String endpoint = cloud.endpoint();
        return new Arm(settings, InstantSource.system(), client -> new Door(client, endpoint));
    }

    @Test
    void pricesComeFromEveryPageWhateverPortItsLinkNames() throws Exception {
        AzureSettings settings = settings();
        try (Arm arm = arm(settings)) {
            RetailPrices.Prices prices = new RetailPrices(settings, arm, directory.resolve("fresh")).at(Instant.now());
            assertThat(Set.of("small", "medium", "paper"))
                    .allSatisfy(size -> assertThat(prices.of(size, Market.SPOT)).isPresent());
            assertThat(SENT).contains("prices.azure.com", "prices.azure.com:443");
        }
    }

    @Test
    void aListingGoesOnByALinkWithAPort() throws Exception {
        for (int i = 0; i < 101; i++) {
            cloud.machine("port-" + i, "{}");
        }
        AzureSettings settings = settings();
        try (Arm arm = arm(settings)) {
            assertThat(arm.pages(() -> arm.compute().getVirtualMachines().listByResourceGroup("spillway")))
                    .hasSize(101);
            assertThat(SENT).contains("management.azure.com:443");
        }
    }

    @Test
    void aLockIsSaidWithWhatToDoAndNothingElseIsTried() throws Exception {
        AzureSettings settings = settings();
        try (Arm arm = arm(settings)) {
            cloud.process().fault(Map.of("kind", "answer", "form", "locked", "type", "DELETE"));
            String id = ArmCloud.GROUP + "/providers/Microsoft.Compute/virtualMachines/x?api-version=2025-04-01";
            assertThatThrownBy(() -> arm.raw(HttpMethod.DELETE, id).orThrow())
                    .isInstanceOfSatisfying(
                            CloudException.class, no -> assertThat(no.reason()).isEqualTo(Reason.CREDENTIALS))
                    .hasMessageContaining("ScopeLocked")
                    .hasMessageContaining("remove the lock");
            cloud.process().fault(Map.of("kind", "answer", "form", "xml", "type", "DELETE"));
            assertThatThrownBy(() -> arm.raw(HttpMethod.DELETE, id).orThrow())
                    .hasMessageContaining("AuthorizationFailed: This request is not authorized");
        }
        assertThat(Files.readString(cloud.process().state().resolve("requests.log")))
                .contains(" published locked ");
    }
}
