package org.spillway.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.spillway.localcloud.LocalCloudProcess.await;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.spillway.cloud.Billable;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

/** The AWS driver beyond the contract: launches, what they bring along, and what doctor says. */
final class AwsDriverTest extends AwsCloudFixture {
    @Test
    void thousandsAreLaunchedAndListedInFewCalls() throws Exception {
        Site site = open("many", Map.of());
        int before = calls("RunInstances").size();
        for (int part = 0; part < MANY / 1000; part++) {
            assertThat(site.compute()
                            .launch(request("many", "m-" + part, "t3.nano", 1000))
                            .outcome())
                    .isEqualTo(new LaunchOutcome.Launched(1000));
        }
        assertThat(calls("RunInstances").size() - before).isEqualTo(MANY / 1000);
        site.compute().list();
        int asked = calls("DescribeInstances").size();
        List<Instance> all = site.compute().list();
        assertThat(calls("DescribeInstances").size() - asked).isBetween(MANY / 1000, MANY / 1000 + 1);
        assertThat(all).extracting(Instance::id).hasSize(MANY).doesNotHaveDuplicates();
        site.compute().terminate(all.stream().map(Instance::id).toList());
        assertThat(await(
                        () -> site.compute().list().stream()
                                .anyMatch(i -> i.state().isLive()),
                        live -> !live))
                .isFalse();
    }

    @Test
    void aTokenWithOtherParametersMayHaveLaunched() throws Exception {
        LaunchRequest request = request("same", "t-1", "m7i.large", 1);
        Site first = open("same", Map.of());
        assertThat(first.compute().launch(request).outcome()).isEqualTo(new LaunchOutcome.Launched(1));
        Site changed = open("same", Map.of("diskGiB", "99"));
        assertThat(changed.compute().launch(request).outcome())
                .isInstanceOfSatisfying(
                        LaunchOutcome.Unknown.class,
                        unknown -> assertThat(unknown.message()).contains("IdempotentParameterMismatch"));
        assertThat(changed.compute().list())
                .filteredOn(i -> i.intent().equals("t-1"))
                .hasSize(1);
    }

    @Test
    void aPlacementGroupGoesWithItsLastInstance() throws Exception {
        Site site = open("gang", Map.of());
        LaunchRequest plain = request("gang", "g-1", "p5.48xlarge", 2);
        LaunchRequest gang = new LaunchRequest(
                "g-1", 1, plain.offering(), 2, "", "", Map.of(), List.of(), new LaunchRequest.Placement("gang-1", ""));
        List<String> ids = site.compute().launch(gang).instances().stream()
                .map(Instance::id)
                .toList();
        assertThat(ids).hasSize(2);
        assertThat(person.ec2()
                        .describeInstances(r -> r.instanceIds(ids))
                        .reservations()
                        .getFirst()
                        .instances())
                .allSatisfy(each -> assertThat(each.placement().groupName()).endsWith("-gang-1"));
        site.compute().list();
        assertThat(groups()).anyMatch(name -> name.endsWith("-gang-1"));
        site.compute().terminate(ids);
        await(
                () -> {
                    site.compute().list();
                    return groups();
                },
                groups -> groups.stream().noneMatch(name -> name.endsWith("-gang-1")));
    }

    private static List<String> groups() {
        return person.ec2().describePlacementGroups().placementGroups().stream()
                .map(each -> each.groupName())
                .toList();
    }

    @Test
    void aFleetsTemplateGoesAlsoWhenItsAnswerWasLost() throws Exception {
        Site site = open("fleet", Map.of());
        LaunchRequest one = request("fleet", "f-1", "m7i.large", 1);
        LaunchRequest set = new LaunchRequest(
                "f-1",
                1,
                one.offering(),
                1,
                "",
                "",
                Map.of(),
                List.of(new OfferingId("fleet", ZONE, "p5.48xlarge", Market.ON_DEMAND)),
                LaunchRequest.Placement.NONE);
        cloud.fault(Map.of("kind", "lost"));
        assertThat(site.compute().launch(set).outcome()).isInstanceOf(LaunchOutcome.Unknown.class);
        assertThat(templates()).hasSize(1);
        Instance found = site.compute().list().stream()
                .filter(i -> i.intent().equals("f-1"))
                .findFirst()
                .orElseThrow();
        assertThat(templates()).isEmpty();
        assertThat(site.compute().launch(set).instances())
                .extracting(Instance::id)
                .containsExactly(found.id());
        assertThat(templates()).isEmpty();
    }

    private static List<String> templates() {
        return person.ec2().describeLaunchTemplates().launchTemplates().stream()
                .map(each -> each.launchTemplateName())
                .toList();
    }

    @Test
    void whatOneLaunchBringsAlongBearsItsTagsAndGoesWithIt() throws Exception {
        Site site = open("parts", Map.of("diskGiB", "7"));
        String id = site.compute()
                .launch(request("parts", "p-1", "m7i.large", 1))
                .instances()
                .getFirst()
                .id();
        assertThat(site.inventory().orElseThrow().all().stream()
                        .filter(each -> each.instance().equals(id)))
                .hasSize(2)
                .allSatisfy(each -> assertThat(each.tags()).containsEntry(Instance.TAG_INTENT, "p-1"))
                .extracting(each -> each.kind())
                .containsExactlyInAnyOrder("disk", "interface");
        var disk = person.ec2()
                .describeVolumes(
                        r -> r.filters(f -> f.name("attachment.instance-id").values(id)))
                .volumes()
                .getFirst();
        assertThat(disk.size()).isEqualTo(7);
        assertThat(disk.encrypted()).isTrue();
        site.compute().terminate(List.of(id));
        await(
                () -> site.inventory().orElseThrow().all(),
                all -> all.stream()
                        .noneMatch(
                                each -> each.instance().equals(id) || each.id().equals(id)));
    }

    @Test
    void directorsStandInThePublicSubnetOfAMadeNetworkAndNodesDoNot() throws Exception {
        Site site = open("net", Map.of("subnets", "", "securityGroup", ""));
        LaunchRequest node = request("net", "n-1", "m7i.large", 1);
        assertThat(site.compute().launch(node).outcome())
                .isInstanceOfSatisfying(LaunchOutcome.Refused.class, refused -> {
                    assertThat(refused.reason()).isEqualTo(Reason.INVALID);
                    assertThat(refused.message()).contains("site create net");
                });
        site.network().orElseThrow().create();
        LaunchRequest director =
                LaunchRequest.of("n-2", 1, node.offering(), 1).withTags(Map.of(Instance.TAG_ROLE, "DIRECTOR"));
        String nodeId = site.compute().launch(node).instances().getFirst().id();
        String directorId =
                site.compute().launch(director).instances().getFirst().id();
        var seen = person.ec2().describeInstances(r -> r.instanceIds(nodeId, directorId)).reservations().stream()
                .flatMap(each -> each.instances().stream())
                .toList();
        assertThat(seen).hasSize(2).allSatisfy(each -> {
            boolean open = each.instanceId().equals(directorId);
            assertThat(each.publicIpAddress() != null).isEqualTo(open);
            assertThat(each.securityGroups()).hasSize(open ? 2 : 1);
            assertThat(each.metadataOptions().httpTokensAsString()).isEqualTo("required");
        });
        assertThat(seen.get(0).subnetId()).isNotEqualTo(seen.get(1).subnetId());
        assertThatThrownBy(() -> site.network().orElseThrow().delete())
                .isInstanceOf(CloudException.class)
                .hasMessageContaining("2 instances");
        site.compute().terminate(List.of(nodeId, directorId));
        await(() -> site.compute().list(), all -> all.stream().allMatch(i -> i.state() == Instance.State.TERMINATED));
        site.network().orElseThrow().delete();
        assertThat(site.inventory().orElseThrow().all()).isEmpty();
    }

    @Test
    void aDeadNatGatewayIsReplacedAndItsRouteLedToTheNewOne() throws Exception {
        Site site = open("nat", Map.of("subnets", "", "securityGroup", ""));
        String first = gateway(site.network().orElseThrow().create());
        assertThat(defaultRoute(first)).isEqualTo("active");
        person.ec2().deleteNatGateway(request -> request.natGatewayId(first));
        assertThat(defaultRoute(first)).isEqualTo("blackhole");
        String second = gateway(site.network().orElseThrow().create());
        assertThat(second).isNotEqualTo(first);
        assertThat(defaultRoute(second)).isEqualTo("active");
        assertThat(gateway(site.network().orElseThrow().create())).isEqualTo(second);
        site.network().orElseThrow().delete();
        assertThat(site.inventory().orElseThrow().all()).isEmpty();
    }

    private static String gateway(List<Billable> made) {
        List<String> ids = made.stream()
                .filter(each -> each.kind().equals("gateway"))
                .map(Billable::id)
                .toList();
        assertThat(ids).hasSize(1);
        return ids.getFirst();
    }

    /** State of the one route that leads everywhere by that gateway. */
    private static String defaultRoute(String gateway) {
        List<String> states = person.ec2().describeRouteTables().routeTables().stream()
                .flatMap(table -> table.routes().stream())
                .filter(route -> gateway.equals(route.natGatewayId()))
                .map(route -> route.stateAsString())
                .toList();
        assertThat(states).hasSize(1);
        return states.getFirst();
    }

    @Test
    void anArmTypeGetsItsOwnImage() throws Exception {
        Map<String, String> arm = Map.of("imageArm64", "ami-00000000000000002");
        assertThat(open("arm", arm)
                        .compute()
                        .launch(request("arm", "a-1", "c7g.large", 1))
                        .outcome())
                .isEqualTo(new LaunchOutcome.Launched(1));
        assertThat(open("x86", Map.of())
                        .compute()
                        .launch(request("x86", "a-2", "c7g.large", 1))
                        .outcome())
                .isInstanceOf(LaunchOutcome.Refused.class);
    }

    private static Set<String> broken(Site site, Diagnostics.Needs needs) {
        return site.diagnostics().check(needs).stream()
                .filter(finding -> finding.verdict() == Diagnostics.Verdict.BROKEN)
                .peek(finding -> assertThat(finding.repair()).isNotEmpty())
                .map(Diagnostics.Finding::check)
                .collect(Collectors.toSet());
    }

    @Test
    void doctorNamesWhatIsWrong() throws Exception {
        Diagnostics.Needs none = Diagnostics.Needs.NONE;
        assertThat(broken(open("d", Map.of()), new Diagnostics.Needs(Set.of("m7i.large"), "")))
                .isEmpty();
        assertThat(broken(open("d", Map.of()), new Diagnostics.Needs(Set.of("m7i.huge"), "")))
                .containsExactly("type m7i.huge");
        assertThat(broken(open("d", Map.of("image", "ami-0123456789abcdef0")), none))
                .contains("image");
        assertThat(broken(open("d", Map.of("subnets", ZONE + "=subnet-0123456789abcdef0")), none))
                .contains("network");
        assertThat(broken(open("d", Map.of("subnets", "", "securityGroup", "")), none))
                .containsExactly("network");
        assertThat(broken(open("d", Map.of("profile", "nobody")), none)).containsExactly("credentials");
        assertThat(broken(open("d", Map.of("types", "z9.*")), none)).contains("types");
        try (Site nowhere =
                new AwsDriver().open(SiteSettings.of("c", "d", Map.of("region", "us-esat-1"), cloud.state()))) {
            assertThat(broken(nowhere, none)).containsExactly("region");
        }
    }

    @Test
    void doctorTellsWhatAReaderMayNot() throws Exception {
        Site reader = open("d", Map.of("profile", "reader"));
        assertThat(broken(reader, Diagnostics.Needs.NONE))
                .containsExactlyInAnyOrder(
                        "permission RunInstances",
                        "permission CreatePlacementGroup",
                        "permission CreateLaunchTemplate");
        assertThat(reader.diagnostics().check(Diagnostics.Needs.NONE))
                .filteredOn(finding -> finding.verdict() == Diagnostics.Verdict.WARNING)
                .extracting(Diagnostics.Finding::check)
                .contains("permission TerminateInstances", "permission StopInstances", "permission StartInstances");
    }

    @Test
    void aWrongSecretIsRefused() throws Exception {
        Path forged = Files.createTempFile(directory, "forged", "");
        String text = Files.readString(cloud.state().resolve("api/ec2/credentials"));
        Files.writeString(forged, text.replaceAll("(?m)^(aws_secret_access_key = ).*$", "$1" + "x".repeat(40)));
        Site site = open("d", Map.of("credentialsFile", forged.toString()));
        assertThat(site.compute().launch(request("d", "w-1", "m7i.large", 1)).outcome())
                .isInstanceOfSatisfying(LaunchOutcome.Refused.class, refused -> {
                    assertThat(refused.reason()).isEqualTo(Reason.CREDENTIALS);
                    assertThat(refused.message()).doesNotContain("xxxx");
                });
        assertThat(broken(site, Diagnostics.Needs.NONE)).containsExactly("credentials");
    }

    /** In a JVM of its own: what is loaded here says nothing. */
    @Test
    void openingASiteLoadsNoClientOfTheSdk() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-verbose:class",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Opening.class.getName(),
                        directory.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(180, TimeUnit.SECONDS)).isTrue();
        assertThat(output).contains("opened aws, at most 1000");
        assertThat(output.lines().filter(line -> line.contains("software.amazon.awssdk.services.")))
                .isEmpty();
    }

    /** Opens a site and does nothing with it. */
    static final class Opening {
        private Opening() {}

        public static void main(String[] args) {
            AwsDriver driver = new AwsDriver();
            SiteSettings settings = SiteSettings.of("c", "s", Map.of("region", "us-east-1"), Path.of(args[0]));
            try (Site site = driver.open(settings)) {
                System.out.println("opened " + driver.name() + ", at most "
                        + site.rateLimits().instances().size());
            }
        }
    }

    /** Nothing was sent: the launch is a refusal that passes, and a listing tells nobody that a machine is gone. */
    @Test
    void aNameThatIsNotFoundBuysNothingAndIsSaid() throws Exception {
        Site site = open("gone", Map.of("endpoint", "https://no-such-name.invalid"));
        assertThat(site.compute().launch(request("gone", "g-1", "t3.nano", 1)).outcome())
                .isInstanceOfSatisfying(LaunchOutcome.Refused.class, refused -> {
                    assertThat(refused.reason()).isEqualTo(LaunchOutcome.Reason.THROTTLED);
                    assertThat(refused.message()).contains("no-such-name.invalid");
                });
        assertThatThrownBy(() -> site.compute().list())
                .isInstanceOf(CloudException.class)
                .hasMessageContaining("no-such-name.invalid");
    }
}
