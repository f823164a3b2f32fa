package org.spillway.cloud.openstack;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.CloudDriverContract;
import org.spillway.cloud.Planted;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;
import org.spillway.localcloud.LocalCloudProcess;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.OfferingId;

/** Against the real Keystone, Nova, Placement, Neutron and Glance of {@code labs/openstack}, which must be up. */
@EnabledIfEnvironmentVariable(
        named = OpenStackLabContractTest.LAB,
        matches = ".+",
        disabledReason = "SPILLWAY_OPENSTACK_LAB names no running lab; labs/openstack/contract.sh starts one")
final class OpenStackLabContractTest extends CloudDriverContract {
    static final String LAB = "SPILLWAY_OPENSTACK_LAB";
    static final Duration IMPATIENT = Duration.ofSeconds(3);
    private static final String HYPERVISOR = """
            network: "127.60"
            zones: [lab]
            types: [{name: server, cpus: 1, memoryGiB: 1, capacity: 1000, bootSeconds: 0}]
            """;
    private static final Money PRICE = Money.parse("0.10");

    @TempDir
    private static Path directory;

    private static Path lab;
    private static LocalCloudProcess hypervisor;
    private static CuttingProxy proxy;
    private static OpenStackCalls demo;
    private static LabLuck luck;

    @BeforeAll
    static void openLab() throws Exception {
        lab = Path.of(System.getenv(LAB)).toAbsolutePath();
        String keystone = Files.readString(lab.resolve("endpoint")).strip();
        String password = Files.readString(lab.resolve("password")).strip();
        hypervisor = hypervisor(lab);
        proxy = new CuttingProxy(URI.create(keystone).getHost());
        demo = new OpenStackCalls(keystone, "demo", password, "demo");
        OpenStackCalls admin = new OpenStackCalls(keystone, "admin", password, "admin");
        String project = admin.find("identity", "/projects", "projects", "demo").orElseThrow();
        luck = new LabLuck(proxy, admin, project);
    }

    /** The cloud of processes that the lab's hook makes servers of, when it was started with one. */
    static LocalCloudProcess hypervisor(Path lab) throws Exception {
        Files.createDirectories(lab.resolve("hypervisor"));
        return LocalCloudProcess.start(lab.resolve("hypervisor"), HYPERVISOR);
    }

    @AfterAll
    static void closeLab() throws Exception {
        proxy.close();
        demo.close();
        hypervisor.close();
    }

    private static Site open(String cluster, String siteName, String endpoint, Map<String, String> more) {
        return open(cluster, cluster, siteName, endpoint, more);
    }

    /** @param guest whose servers stand in that cluster's network */
    private static Site open(String cluster, String guest, String siteName, String endpoint, Map<String, String> more) {
        Map<String, String> options = new HashMap<>(Map.of(
                "endpoint", endpoint,
                "region", "RegionOne",
                "user", "demo",
                "project", "demo",
                "passwordFile", lab.resolve("password").toString(),
                "image", "stock",
                "gpuAliases", "h100=h100:80",
                "adminCidr", "127.0.0.0/8",
                "sshPort", "2222",
                "consistencySeconds", "10"));
        options.putAll(more);
        Map<String, Money> prices = Map.of("m1.tiny", PRICE, "m1.small", PRICE, "c1.fabric", PRICE);
        return new OpenStackDriver()
                .open(SiteSettings.of(cluster, siteName, options, directory)
                        .withPrices(prices)
                        .withCluster(guest));
    }

    @Override
    protected Site open(String cluster, String siteName, boolean impatient) {
        long seconds = impatient ? IMPATIENT.toSeconds() : 60;
        return open(
                cluster,
                siteName,
                proxy.keystone(),
                Map.of("network", "lan", "timeoutSeconds", Long.toString(seconds)));
    }

    @Override
    protected Site openNowhere() {
        return open("contract", "here", "http://127.0.0.1:1/v3", Map.of());
    }

    @Override
    protected Site openForNetwork(String cluster) {
        try {
            Path key = Files.writeString(directory.resolve("key.pub"), OpenStackCalls.KEY + "\n");
            return open("contract", cluster, "made", proxy.keystone(), Map.of("publicKeyFile", key.toString()));
        } catch (java.io.IOException full) {
            throw new java.io.UncheckedIOException(full);
        }
    }

    @Override
    protected void arrange(Luck what) throws Exception {
        luck.arrange(what, "m1.tiny");
    }

    @Override
    protected void clearFaults() throws Exception {
        luck.clear();
    }

    @Override
    protected Set<String> roles() {
        return Set.of("power", "console", "network", "inventory");
    }

    @Override
    protected OfferingId offering(String siteName) {
        return new OfferingId(siteName, "nova", "m1.tiny", Market.ON_DEMAND);
    }

    /** The lab's Nova gives five a page. */
    @Override
    protected int manyInstances() {
        return 6;
    }

    @Override
    protected int batch() {
        return 9;
    }

    @Override
    protected OfferingId otherOffering(String siteName) {
        return new OfferingId(siteName, "nova", "m1.small", Market.ON_DEMAND);
    }

    @Override
    protected Optional<OfferingId> fabricOffering(String siteName) {
        return Optional.of(new OfferingId(siteName, "nova", "c1.fabric", Market.ON_DEMAND));
    }

    /** Reservations are Blazar's, a service that the driver does not ask. */
    @Override
    protected Optional<Reserved> reserved(String siteName) {
        return Optional.empty();
    }

    @Override
    protected List<Planted> plantOrphans(String cluster) throws Exception {
        return demo.plant(cluster, "here", demo.server("m1.tiny"));
    }

    @Override
    protected Optional<Planted> plantWithoutSite(String cluster) throws Exception {
        return Optional.of(new Planted("instance", demo.plantWithoutSite(cluster, "m1.tiny")));
    }
}
