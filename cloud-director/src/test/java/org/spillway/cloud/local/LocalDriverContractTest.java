package org.spillway.cloud.local;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.CloudDriverContract;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;
import org.spillway.cloud.localcloud.LocalCloudProcess;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

final class LocalDriverContractTest extends CloudDriverContract {
    private static final String CATALOGUE = """
            zones: [a]
            types:
              - {name: small, cpus: 2, memoryGiB: 4, bootSeconds: 0.05}
              - {name: paper, cpus: 1, memoryGiB: 1, process: false, capacity: 20000, bootSeconds: 0}
            """;

    @TempDir
    private static Path directory;

    private static LocalCloudProcess cloud;

    @BeforeAll
    static void startCloud() throws Exception {
        cloud = LocalCloudProcess.start(directory, CATALOGUE);
    }

    @AfterAll
    static void endCloud() throws Exception {
        cloud.close();
    }

    private static Site open(String cluster, String siteName, Map<String, String> options) {
        return new LocalDriver().open(new SiteSettings(cluster, siteName, options, directory));
    }

    @Override
    protected Site open(String cluster, String siteName, boolean impatient) {
        return open(cluster, siteName, Map.of("state", "cloud", "timeoutSeconds", impatient ? "1" : "30"));
    }

    @Override
    protected Site openNowhere() {
        return open("contract", "here", Map.of("endpoint", "127.0.0.1:1", "tokenFile", "cloud/token"));
    }

    @Override
    protected void arrange(Luck luck) throws Exception {
        cloud.fault(
                switch (luck) {
                    case Luck.Refuse refuse -> Map.of("kind", "refuse", "reason", refuse.reason());
                    case Luck.Partial partial -> Map.of("kind", "partial", "instances", partial.count());
                    case Luck.LostAnswer lost -> Map.of("kind", "lost");
                    case Luck.SlowAnswer slow -> Map.of("kind", "slow", "seconds", 1.5);
                    case Luck.LateListing late ->
                        Map.of("kind", "late-listing", "seconds", late.time().toMillis() / 1000.0);
                    case Luck.FailingListing failing -> Map.of("kind", "listing-fails");
                });
    }

    @Override
    protected void clearFaults() throws Exception {
        cloud.call("DELETE", "/admin/faults", Map.of());
    }

    @Override
    protected Set<String> roles() {
        return Set.of("power", "console", "inventory");
    }

    @Override
    protected OfferingId offering(String siteName) {
        return new OfferingId(siteName, "a", "small", Market.ON_DEMAND);
    }

    @Override
    protected OfferingId cheapOffering(String siteName) {
        return new OfferingId(siteName, "a", "paper", Market.SPOT);
    }

    @Override
    protected int manyInstances() {
        return 1001;
    }
}
