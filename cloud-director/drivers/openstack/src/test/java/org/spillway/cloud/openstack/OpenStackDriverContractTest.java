package org.spillway.cloud.openstack;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.Planted;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;
import org.spillway.localcloud.EmulatedContract;
import org.spillway.localcloud.LocalCloudProcess;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.OfferingId;

/** Against a local-cloud that wears the APIs of OpenStack. */
final class OpenStackDriverContractTest extends EmulatedContract {
    private static final Money PRICE = Money.parse("0.10");

    @TempDir
    private static Path directory;

    private static LocalCloudProcess cloud;

    @BeforeAll
    static void startCloud() throws Exception {
        cloud = LocalCloudProcess.start(directory, CATALOGUE, "nova");
    }

    @AfterAll
    static void endCloud() throws Exception {
        cloud.close();
    }

    private static Site open(String cluster, String siteName, String endpoint, Map<String, String> more) {
        return open(cluster, cluster, siteName, endpoint, more);
    }

    /** @param guest whose servers stand in that cluster's network */
    private static Site open(String cluster, String guest, String siteName, String endpoint, Map<String, String> more) {
        Map<String, String> options = new HashMap<>(Map.of(
                "endpoint", endpoint,
                "user", "spillway",
                "project", "demo",
                "passwordFile", "cloud/api/nova/password",
                "image", "stock",
                "adminCidr", "127.0.0.0/8",
                "sshPort", "2222",
                "consistencySeconds", "5"));
        options.putAll(more);
        Map<String, Money> prices = Map.of("small", PRICE, "medium", PRICE, "near", PRICE, "paper", PRICE);
        return new OpenStackDriver()
                .open(SiteSettings.of(cluster, siteName, options, directory)
                        .withPrices(prices)
                        .withCluster(guest));
    }

    private static String endpoint() {
        try {
            return cloud.apiEndpoint() + "/v3";
        } catch (java.io.IOException away) {
            throw new java.io.UncheckedIOException(away);
        }
    }

    @Override
    protected List<String> pauses() {
        return List.of("throttled", "throttled-date", "throttled-html", "throttled-empty", "unavailable-html");
    }

    @Override
    protected String listingAction() {
        return "GET";
    }

    @Override
    protected LocalCloudProcess cloud() {
        return cloud;
    }

    @Override
    protected Site open(String cluster, String siteName, boolean impatient) {
        return open(cluster, siteName, endpoint(), Map.of("network", "lan", "timeoutSeconds", impatient ? "1" : "30"));
    }

    @Override
    protected Site openNowhere() {
        return open("contract", "here", "http://127.0.0.1:1/v3", Map.of());
    }

    @Override
    protected Site openForNetwork(String cluster) {
        return open(
                "contract",
                cluster,
                "made",
                endpoint(),
                Map.of("publicKeyFile", publicKey().toString()));
    }

    private static Path publicKey() {
        try {
            return Files.writeString(directory.resolve("key.pub"), OpenStackCalls.KEY + "\n");
        } catch (java.io.IOException full) {
            throw new java.io.UncheckedIOException(full);
        }
    }

    @Override
    protected OfferingId cheapOffering(String siteName) {
        return new OfferingId(siteName, "a", "paper", Market.ON_DEMAND);
    }

    @Override
    protected Optional<Reserved> reserved(String siteName) {
        try (OpenStackCalls calls = OpenStackCalls.to(cloud)) {
            String id = calls.reserve("'resource_type': 'physical:host', 'min': 1, 'max': 1");
            return Optional.of(new Reserved(new OfferingId(siteName, "a", "paper", Market.RESERVED), id));
        } catch (Exception away) {
            throw new IllegalStateException(away);
        }
    }

    @Override
    protected List<Planted> plantOrphans(String cluster) throws Exception {
        return OpenStackCalls.oneOfEachKind(cloud, cluster, "here");
    }

    @Override
    protected Optional<Planted> plantWithoutSite(String cluster) throws Exception {
        try (OpenStackCalls calls = OpenStackCalls.to(cloud)) {
            return Optional.of(new Planted("instance", calls.plantWithoutSite(cluster, "paper")));
        }
    }
}
