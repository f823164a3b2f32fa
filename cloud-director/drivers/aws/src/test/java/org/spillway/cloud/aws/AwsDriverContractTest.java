package org.spillway.cloud.aws;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Planted;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;
import org.spillway.localcloud.EmulatedContract;
import org.spillway.localcloud.LocalCloudProcess;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

/** The driver, through the vendor's SDK, against a local cloud that wears EC2's API. */
final class AwsDriverContractTest extends EmulatedContract {
    private static final String TYPES = """
            zones: [us-east-1a, us-east-1b]
            types:
              - {name: t3.small, cpus: 2, memoryGiB: 4, bootSeconds: 0.05}
              - {name: m7i.large, cpus: 4, memoryGiB: 8, bootSeconds: 0.05}
              - {name: p5.48xlarge, cpus: 4, memoryGiB: 8, gpus: 8, bootSeconds: 0.05, fabric: efa}
              - {name: t3.nano, cpus: 1, memoryGiB: 1, process: false, capacity: 20000, bootSeconds: 0}
            """;
    private static final String ZONE = "us-east-1a";

    @TempDir
    private static Path directory;

    private static LocalCloudProcess cloud;
    private static Planting planting;

    @BeforeAll
    static void startCloud() throws Exception {
        cloud = LocalCloudProcess.start(directory, TYPES, "ec2");
        planting = new Planting(cloud);
    }

    @AfterAll
    static void endCloud() throws Exception {
        planting.close();
        cloud.close();
    }

    static Map<String, String> options(LocalCloudProcess cloud) throws Exception {
        return new HashMap<>(Map.of(
                "region", "us-east-1",
                "endpoint", cloud.apiEndpoint(),
                "pricingEndpoint", cloud.apiEndpoint(),
                "credentialsFile", cloud.state().resolve("api/ec2/credentials").toString(),
                "image", "ami-00000000000000001",
                "types", "t3.*,m7i.*,p5.*",
                "adminCidr", "198.51.100.7/32",
                "sshPort", "2222",
                "consistencySeconds", "5"));
    }

    static Site open(LocalCloudProcess cloud, String cluster, String site, Map<String, String> more) {
        return open(cloud, cluster, cluster, site, more);
    }

    /** @param guest whose instances stand in that cluster's network */
    static Site open(LocalCloudProcess cloud, String cluster, String guest, String site, Map<String, String> more) {
        try {
            Map<String, String> options = options(cloud);
            options.putAll(more);
            return new AwsDriver()
                    .open(SiteSettings.of(cluster, site, options, cloud.state()).withCluster(guest));
        } catch (Exception failed) {
            throw new AssertionError(failed);
        }
    }

    static final Map<String, String> DEFAULT_NETWORK = Map.of(
            "subnets",
            "us-east-1a=subnet-00000000000000001,us-east-1b=subnet-00000000000000002",
            "securityGroup",
            "sg-00000000000000001");

    @Override
    protected List<String> pauses() {
        return List.of("throttled-seconds", "throttled-date", "throttled-html", "throttled-empty", "unavailable-html");
    }

    @Override
    protected String listingAction() {
        return "DescribeInstances";
    }

    @Override
    protected LocalCloudProcess cloud() {
        return cloud;
    }

    @Override
    protected Site open(String cluster, String siteName, boolean impatient) {
        Map<String, String> more = new HashMap<>(DEFAULT_NETWORK);
        more.put("timeoutSeconds", impatient ? "1" : "30");
        return open(cloud, cluster, siteName, more);
    }

    @Override
    protected Site openForNetwork(String cluster) {
        return open(cloud, "contract", cluster, "made", Map.of());
    }

    @Override
    protected Site openNowhere() {
        Map<String, String> more = new HashMap<>(DEFAULT_NETWORK);
        more.put("endpoint", "http://127.0.0.1:1");
        return open(cloud, "contract", "here", more);
    }

    @Override
    protected OfferingId offering(String siteName) {
        return new OfferingId(siteName, ZONE, "t3.small", Market.ON_DEMAND);
    }

    @Override
    protected OfferingId otherOffering(String siteName) {
        return new OfferingId(siteName, ZONE, "m7i.large", Market.ON_DEMAND);
    }

    @Override
    protected Optional<OfferingId> fabricOffering(String siteName) {
        return Optional.of(new OfferingId(siteName, ZONE, "p5.48xlarge", Market.ON_DEMAND));
    }

    @Override
    protected Optional<Reserved> reserved(String siteName) {
        String id = planting.reservation("t3.small", ZONE, 1);
        return Optional.of(new Reserved(new OfferingId(siteName, ZONE, "t3.small", Market.RESERVED), id));
    }

    @Override
    protected List<Planted> plantOrphans(String cluster) {
        return planting.oneOfEachKind(cluster, "here");
    }

    @Override
    protected Optional<Planted> plantWithoutSite(String cluster) {
        return Optional.of(planting.instance(Map.of(Instance.TAG_CLUSTER, cluster)));
    }

    @Override
    protected OfferingId cheapOffering(String siteName) {
        return new OfferingId(siteName, ZONE, "t3.nano", Market.SPOT);
    }
}
