package org.spillway.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.OfferingId;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.localstack.LocalStackContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * The driver against LocalStack, where a container engine exists; elsewhere it is reported as skipped. LocalStack ignores
 * client tokens and dry runs in places, so this is not the contract: it is another server that speaks EC2.
 */
@Testcontainers(disabledWithoutDocker = true)
final class AwsLocalStackTest {
    @Container
    private static final LocalStackContainer LOCALSTACK =
            new LocalStackContainer(DockerImageName.parse("localstack/localstack:4")).withServices("ec2", "sts");

    @TempDir
    private Path directory;

    @Test
    void makesANetworkLaunchesListsTerminatesAndLeavesNothing() throws Exception {
        Path keys = Files.writeString(
                directory.resolve("keys"),
                "[default]\naws_access_key_id = " + LOCALSTACK.getAccessKey() + "\naws_secret_access_key = "
                        + LOCALSTACK.getSecretKey() + "\n");
        Files.setPosixFilePermissions(keys, PosixFilePermissions.fromString("rw-------"));
        Map<String, String> options = new HashMap<>();
        options.put("region", LOCALSTACK.getRegion());
        options.put("endpoint", LOCALSTACK.getEndpoint().toString());
        options.put("credentialsFile", "keys");
        options.put("types", "t3.micro");
        options.put("adminCidr", "198.51.100.7/32");
        Map<String, Money> prices = Map.of("t3.micro", Money.parse("0.0104"));
        SiteSettings settings =
                SiteSettings.of("contract", "stack", options, directory).withPrices(prices);
        try (Site site = new AwsDriver().open(settings)) {
            assertThat(site.diagnostics().check(Diagnostics.Needs.NONE))
                    .anyMatch(finding ->
                            finding.check().equals("credentials") && finding.verdict() == Diagnostics.Verdict.GOOD);
            site.network().orElseThrow().create();
            OfferingId offering = site.compute().offerings().stream()
                    .map(each -> each.id())
                    .filter(id -> id.market() == Market.ON_DEMAND)
                    .findFirst()
                    .orElseThrow();
            LaunchRequest request = LaunchRequest.of("stack-1", 1, offering, 2)
                    .withImage("ami-12c6146b")
                    .withUserData("#!/bin/sh\n");
            assertThat(site.compute().launch(request).outcome()).isEqualTo(new LaunchOutcome.Launched(2));
            List<Instance> listed = site.compute().list();
            assertThat(listed).hasSize(2).allMatch(i -> i.intent().equals("stack-1"));
            site.compute().terminate(listed.stream().map(Instance::id).toList());
            assertThat(site.compute().list()).noneMatch(i -> i.state() == Instance.State.RUNNING);
            site.network().orElseThrow().delete();
        }
    }
}
