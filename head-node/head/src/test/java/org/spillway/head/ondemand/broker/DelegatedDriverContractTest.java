package org.spillway.head.ondemand.broker;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.Planted;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;
import org.spillway.cloud.delegated.DelegatedDriver;
import org.spillway.cloud.local.LocalDriver;
import org.spillway.head.journal.MemoryJournalStore;
import org.spillway.head.ondemand.Allowance;
import org.spillway.head.trust.SiteAuthority;
import org.spillway.localcloud.EmulatedContract;
import org.spillway.localcloud.LocalCloudProcess;
import org.spillway.policy.Money;

/**
 * The driver through a real broker, over TLS, to a real local cloud. A build runs {@link DelegatedDriverTest}, as the parent's
 * driver shows all of this in it.
 */
@Tag("processes")
final class DelegatedDriverContractTest extends EmulatedContract {
    private static Path directory = Path.of("");
    private static LocalCloudProcess cloud;
    private static SiteAuthority authority;
    private static Brokered broker;
    private static final Map<String, Site> PARENTS = new ConcurrentHashMap<>();
    private static final Map<String, Allowance> ALLOWED = new ConcurrentHashMap<>();

    @BeforeAll
    static void start(@TempDir Path place) throws Exception {
        directory = place;
        cloud = LocalCloudProcess.start(directory, CATALOGUE);
        authority = SiteAuthority.open(directory, InstantSource.system());
        broker = Brokered.open(
                authority.brokerTls(),
                (token, certificate) -> Optional.ofNullable(ALLOWED.get(token + certificate)),
                (cluster, site) -> PARENTS.computeIfAbsent(
                        cluster + "/" + site,
                        key -> new LocalDriver()
                                .open(SiteSettings.of(cluster, site, Map.of("state", "cloud"), directory))),
                new BookOfOne(new MemoryJournalStore(), InstantSource.system()),
                InstantSource.system(),
                // A look of its own would hear a lie that is arranged for the child's listing.
                new Brokered.Times(Brokered.QUANTUM, Duration.ofHours(1)));
    }

    @AfterAll
    static void end() throws Exception {
        broker.close();
        PARENTS.values().forEach(Site::close);
        PARENTS.clear();
        ALLOWED.clear();
        cloud.close();
    }

    @Override
    protected LocalCloudProcess cloud() {
        return cloud;
    }

    private static Site open(String cluster, String siteName, String endpoint, String timeoutSeconds) {
        try {
            // A head has one token for a cluster; here one cluster has two sites.
            ChildFiles files = new ChildFiles(
                    directory.resolve(cluster + "-" + siteName),
                    authority.clusterCredential(cluster),
                    authority.clusterToken(cluster + "-" + siteName),
                    authority.certificatePem());
            ALLOWED.put(
                    files.tokenSha256() + files.certificateSha256(),
                    new Allowance(
                            cluster,
                            siteName,
                            100_000,
                            Money.parse("1000000"),
                            Instant.now().plusSeconds(3600),
                            Set.of()));
            return new DelegatedDriver()
                    .open(SiteSettings.of(cluster, siteName, files.options(endpoint, timeoutSeconds), directory));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    protected Site open(String cluster, String siteName, boolean impatient) {
        Site site = open(cluster, siteName, "https://127.0.0.1:" + broker.port(), impatient ? "1" : "30");
        try {
            // As a head does before it judges by a listing: now the parent's consistency window is known.
            site.compute().offerings();
        } catch (org.spillway.cloud.CloudException e) {
            throw new IllegalStateException(e);
        }
        return site;
    }

    @Override
    protected Site openNowhere() {
        return open("contract", "here", "https://127.0.0.1:1", "30");
    }

    @Override
    protected Set<String> roles() {
        return Set.of("power", "inventory");
    }

    @Override
    protected Optional<Reserved> reserved(String siteName) {
        return Optional.empty();
    }

    /** Instances are all that a local-cloud sells. */
    @Override
    protected List<Planted> plantOrphans(String cluster) throws Exception {
        return List.of(cloud.plantPaper(cluster));
    }

    @Override
    protected Optional<Planted> plantWithoutSite(String cluster) {
        return Optional.empty();
    }

    @Override
    protected boolean deniesStrangers() {
        return false;
    }
}
