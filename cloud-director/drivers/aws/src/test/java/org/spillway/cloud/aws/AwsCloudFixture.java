package org.spillway.cloud.aws;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Site;
import org.spillway.localcloud.LocalCloudProcess;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

/** A local cloud as EC2, with a small catalogue, and sites in it that are closed after each test. */
abstract class AwsCloudFixture {
    /** Two pages of a listing, full to the last; the local driver's tests list ten thousand. */
    static final int MANY = 2_000;

    static final String ZONE = "us-east-1a";
    static final String CATALOGUE = """
            zones: [us-east-1a]
            types:
              - {name: t3.nano, cpus: 1, memoryGiB: 1, process: false, capacity: 20000, bootSeconds: 0}
              - {name: m7i.large, cpus: 2, memoryGiB: 8, process: false, bootSeconds: 0, pricePerHour: "0.1008"}
              - {name: p5.48xlarge, cpus: 192, memoryGiB: 2048, gpus: 8, gpuMemoryGiB: 80, process: false,
                 bootSeconds: 0, fabric: efa, pricePerHour: "55.04", spotPricePerHour: "20.5"}
              - {name: c7g.large, cpus: 2, memoryGiB: 4, process: false, bootSeconds: 0, architecture: arm64}
            """;

    @TempDir
    static Path directory;

    static LocalCloudProcess cloud;
    static Planting person;
    final List<Site> opened = new ArrayList<>();

    @BeforeAll
    static void startCloud() throws Exception {
        cloud = LocalCloudProcess.start(directory, CATALOGUE, "ec2");
        person = new Planting(cloud);
    }

    @AfterAll
    static void endCloud() throws Exception {
        person.close();
        cloud.close();
    }

    @AfterEach
    void closeAll() throws Exception {
        cloud.clearFaults();
        opened.forEach(Site::close);
    }

    Site open(String site, Map<String, String> more) {
        Map<String, String> options = new HashMap<>(AwsDriverContractTest.DEFAULT_NETWORK);
        options.put("subnets", ZONE + "=subnet-00000000000000001");
        options.put("types", "*");
        options.putAll(more);
        options.values().removeIf(String::isEmpty);
        Site made = AwsDriverContractTest.open(cloud, "c", site, options);
        opened.add(made);
        return made;
    }

    static LaunchRequest request(String site, String intent, String type, int count) {
        OfferingId offering = new OfferingId(site, ZONE, type, Market.ON_DEMAND);
        return LaunchRequest.of(intent, 1, offering, count);
    }

    static List<String> calls(String action) throws Exception {
        Path log = cloud.state().resolve("requests.log");
        if (Files.notExists(log)) {
            return List.of();
        }
        return Files.readAllLines(log).stream()
                .filter(line -> line.contains(" " + action + " "))
                .toList();
    }
}
