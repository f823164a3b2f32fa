package org.spillway.cloud.azure;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.Planted;
import org.spillway.cloud.Site;
import org.spillway.localcloud.EmulatedContract;
import org.spillway.localcloud.LocalCloudProcess;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

final class AzureDriverContractTest extends EmulatedContract {
    private static final String SIZES = CATALOGUE.replace("fabric: efa", "fabric: infiniband");

    private static final String RESERVATION =
            ArmCloud.GROUP + "/providers/Microsoft.Compute/capacityReservationGroups/ours";

    @TempDir
    private static Path directory;

    private static ArmCloud cloud;
    private static String subnet = "";

    @BeforeAll
    static void startCloud() throws Exception {
        cloud = new ArmCloud(directory, SIZES);
        subnet = cloud.subnet();
        cloud.put("Microsoft.Compute/capacityReservationGroups", "ours", "{}", "");
        cloud.reserve("ours", "small-a", "small", "a", 1);
    }

    @AfterAll
    static void endCloud() throws Exception {
        cloud.close();
    }

    @Override
    protected List<String> pauses() {
        return List.of(
                "throttled-compute",
                "throttled-compute-envelope",
                "throttled-manager",
                "throttled-html",
                "throttled-empty",
                "unavailable-html");
    }

    @Override
    protected String listingAction() {
        return "GET";
    }

    @Override
    protected LocalCloudProcess cloud() {
        return cloud.process();
    }

    @Override
    protected Site open(String cluster, String siteName, boolean impatient) {
        try {
            Map<String, String> options = cloud.options();
            options.put("timeoutSeconds", impatient ? "1" : "30");
            options.put("subnet", subnet);
            return cloud.open(cluster, siteName, options);
        } catch (Exception failed) {
            throw new IllegalStateException(failed);
        }
    }

    @Override
    protected Site openForNetwork(String cluster) {
        try {
            return cloud.open("contract", cluster, "made", cloud.options());
        } catch (Exception failed) {
            throw new IllegalStateException(failed);
        }
    }

    @Override
    protected Site openNowhere() {
        try {
            Map<String, String> options = new HashMap<>(cloud.options());
            options.put("endpoint", "https://127.0.0.1:1");
            options.put("authority", "https://127.0.0.1:1");
            options.put("pricesEndpoint", "https://127.0.0.1:1");
            return cloud.open("contract", "here", options);
        } catch (Exception failed) {
            throw new IllegalStateException(failed);
        }
    }

    @Override
    protected void arrange(Luck luck) throws Exception {
        if (luck instanceof Luck.Skew skew) {
            cloud.skew(skew.ahead());
        } else {
            super.arrange(luck);
        }
    }

    @Override
    protected void clearFaults() throws Exception {
        cloud.skew(Duration.ZERO);
        super.clearFaults();
    }

    /** A page has one less; each machine is made and ended by calls of its own. */
    @Override
    protected int manyInstances() {
        return 101;
    }

    /** Sold without a zone: an availability set has none. */
    @Override
    protected Optional<OfferingId> fabricOffering(String siteName) {
        return Optional.of(new OfferingId(siteName, "local", "near", Market.ON_DEMAND));
    }

    @Override
    protected Optional<Reserved> reserved(String siteName) {
        return Optional.of(new Reserved(new OfferingId(siteName, "a", "small", Market.RESERVED), RESERVATION));
    }

    @Override
    protected List<Planted> plantOrphans(String cluster) throws Exception {
        return cloud.oneOfEachKind(cluster, "here");
    }

    @Override
    protected Optional<Planted> plantWithoutSite(String cluster) throws Exception {
        String name =
                cloud.machine(cloud.nameOf(cluster, "here", "lost"), "{\"spillway-cluster\":\"" + cluster + "\"}");
        return Optional.of(new Planted("instance", name));
    }
}
