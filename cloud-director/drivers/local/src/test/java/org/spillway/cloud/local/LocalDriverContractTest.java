package org.spillway.cloud.local;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.Planted;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;
import org.spillway.localcloud.EmulatedContract;
import org.spillway.localcloud.LocalCloudProcess;

final class LocalDriverContractTest extends EmulatedContract {
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
        return new LocalDriver().open(SiteSettings.of(cluster, siteName, options, directory));
    }

    @Override
    protected LocalCloudProcess cloud() {
        return cloud;
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
    protected Set<String> roles() {
        return Set.of("power", "console", "inventory");
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
}
