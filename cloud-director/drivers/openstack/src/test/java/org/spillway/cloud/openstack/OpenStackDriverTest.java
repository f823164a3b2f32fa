package org.spillway.cloud.openstack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.Billable;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;
import org.spillway.localcloud.LocalCloudProcess;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.OfferingId;

/** Questions that the contract does not ask of every driver. */
final class OpenStackDriverTest {
    private static final AtomicInteger INTENTS = new AtomicInteger();
    private static final OfferingId PAPER = new OfferingId("here", "a", "paper", Market.ON_DEMAND);

    @TempDir
    private static Path directory;

    private static LocalCloudProcess cloud;
    private final Map<String, String> options = new HashMap<>();

    @BeforeAll
    static void startCloud() throws Exception {
        cloud = LocalCloudProcess.start(directory, """
                zones: [a]
                types:
                  - {name: paper, cpus: 1, memoryGiB: 1, process: false, capacity: 20000, bootSeconds: 0}
                  - {name: dear, cpus: 8, memoryGiB: 64, gpus: 4, process: false, bootSeconds: 0}
                """, "nova");
    }

    @AfterAll
    static void endCloud() throws Exception {
        cloud.close();
    }

    @AfterEach
    void clear() throws Exception {
        cloud.clearFaults();
        try (Site site = open()) {
            site.compute()
                    .terminate(site.compute().list().stream().map(Instance::id).toList());
        }
    }

    private Site open() throws IOException {
        Map<String, String> all = new HashMap<>(Map.of(
                "endpoint", cloud.apiEndpoint() + "/v3",
                "image", "stock",
                "network", "lan"));
        if (!options.containsKey("applicationCredentialId")) {
            all.putAll(Map.of("user", "spillway", "project", "demo", "passwordFile", "cloud/api/nova/password"));
        }
        all.putAll(options);
        return new OpenStackDriver()
                .open(SiteSettings.of("test", "here", all, directory).withPrices(Map.of("paper", Money.parse("0.01"))));
    }

    private static LaunchRequest request(int count, Map<String, String> tags) {
        return LaunchRequest.of("driver-" + INTENTS.incrementAndGet(), 1, PAPER, count)
                .withTags(tags);
    }

    private static List<Diagnostics.Verdict> verdicts(Site site, String check) {
        return site.diagnostics().check(Diagnostics.Needs.NONE).stream()
                .filter(finding -> finding.check().equals(check))
                .map(Diagnostics.Finding::verdict)
                .toList();
    }

    private static long launchCalls() throws IOException {
        return Files.readString(cloud.state().resolve("requests.log"))
                .lines()
                .filter(line -> line.contains("POST /compute/v2.1/servers "))
                .count();
    }

    /** Finding C8: a changed adminCidr left the old rule open. */
    @Test
    void aRangeThatIsConfiguredNoMoreIsLetInNoMore() throws Exception {
        for (String range : List.of("192.0.2.1/32", "198.51.100.0/24")) {
            options.put("adminCidr", range);
            try (Site site = open()) {
                site.network().orElseThrow().create();
            }
        }
        String rules = Files.readString(cloud.state().resolve("requests.log"));
        assertThat(rules).contains("DELETE /network/v2.0/security-group-rules/");
        long deleted = rules.lines()
                .filter(line -> line.contains("DELETE /network/v2.0/security-group-rules/"))
                .count();
        try (Site site = open()) {
            site.network().orElseThrow().create();
        }
        assertThat(Files.readString(cloud.state().resolve("requests.log"))
                        .lines()
                        .filter(line -> line.contains("DELETE /network/v2.0/security-group-rules/"))
                        .count())
                .as("the range that is configured stays")
                .isEqualTo(deleted)
                .isEqualTo(1);
    }

    @Test
    void aThousandAreOneCall() throws Exception {
        try (Site site = open()) {
            long before = launchCalls();
            LaunchAnswer answer = site.compute().launch(request(1000, Map.of()));
            assertThat(answer.outcome()).isEqualTo(new LaunchOutcome.Launched(1000));
            assertThat(answer.instances())
                    .extracting(Instance::id)
                    .doesNotHaveDuplicates()
                    .hasSize(1000);
            assertThat(launchCalls() - before).isEqualTo(1);
        }
    }

    @Test
    void intentAndAttemptAreOfOneRequest() throws Exception {
        try (Site site = open()) {
            LaunchRequest first = request(1, Map.of());
            LaunchRequest other = LaunchRequest.of(first.intent(), 1, PAPER, 2);
            assertThat(site.compute().launch(first).outcome()).isEqualTo(new LaunchOutcome.Launched(1));
            assertThat(site.compute().launch(other).outcome())
                    .isInstanceOfSatisfying(
                            LaunchOutcome.Refused.class,
                            no -> assertThat(no.reason()).isEqualTo(Reason.INVALID));
        }
    }

    @Test
    void aSecretThatOthersMayReadIsNotUsedAndNotTold() throws Exception {
        Path secret = Files.writeString(directory.resolve("open-secret"), "do-not-tell");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-r--r--"));
        options.put("passwordFile", secret.toString());
        try (Site site = open()) {
            assertThatThrownBy(() -> site.compute().list())
                    .isInstanceOfSatisfying(
                            CloudException.class, no -> assertThat(no.reason()).isEqualTo(Reason.CREDENTIALS))
                    .hasMessageContaining("600")
                    .hasMessageNotContaining("do-not-tell");
            assertThat(verdicts(site, "credentials")).containsExactly(Diagnostics.Verdict.BROKEN);
        }
        options.clear();
    }

    @Test
    void anApplicationCredentialLogsIn() throws Exception {
        options.putAll(Map.of(
                "applicationCredentialId", "spillway",
                "applicationCredentialSecretFile", "cloud/api/nova/password"));
        try (Site site = open()) {
            assertThat(verdicts(site, "credentials")).containsExactly(Diagnostics.Verdict.GOOD);
        }
    }

    @Test
    void aWrongRegionImageOrNetworkIsNamed() throws Exception {
        for (String key : List.of("region", "image", "network")) {
            options.clear();
            options.put(key, "no-such");
            try (Site site = open()) {
                assertThat(verdicts(site, key)).containsExactly(Diagnostics.Verdict.BROKEN);
                assertThat(site.compute().launch(request(1, Map.of())).outcome())
                        .isInstanceOfSatisfying(
                                LaunchOutcome.Refused.class,
                                no -> assertThat(no.reason()).isEqualTo(Reason.INVALID));
            }
        }
        options.clear();
    }

    @Test
    void whatHasNoPriceIsNotOfferedAndDoctorSaysSo() throws Exception {
        try (Site site = open()) {
            assertThat(site.compute().offerings())
                    .extracting(offering -> offering.id().instanceType())
                    .containsOnly("paper");
            assertThat(site.diagnostics().check(Diagnostics.Needs.NONE))
                    .filteredOn(finding -> finding.check().equals("prices"))
                    .singleElement()
                    .satisfies(finding -> assertThat(finding.detail()).contains("dear"));
        }
    }

    @Test
    void aDirectorGetsAFloatingAddressThatGoesWithIt() throws Exception {
        options.put("floatingNetwork", "public");
        try (Site site = open()) {
            Instance node = site.compute()
                    .launch(request(1, Map.of(Instance.TAG_ROLE, "NODE")))
                    .instances()
                    .getFirst();
            assertThat(node.address()).startsWith("127.");
            Instance director = site.compute()
                    .launch(request(1, Map.of(Instance.TAG_ROLE, "DIRECTOR")))
                    .instances()
                    .getFirst();
            assertThat(director.address()).startsWith("192.0.2.");
            assertThat(site.compute().list())
                    .filteredOn(each -> each.id().equals(director.id()))
                    .extracting(Instance::address)
                    .containsExactly(director.address());
            assertThat(kinds(site)).contains("address");
            site.compute().terminate(List.of(director.id(), node.id()));
            assertThat(kinds(site)).doesNotContain("address");
        }
    }

    @Test
    void aDirectorWithoutItsFloatingAddressIsEndedAgain() throws Exception {
        options.put("floatingNetwork", "no-such");
        try (Site site = open()) {
            LaunchRequest request = request(1, Map.of(Instance.TAG_ROLE, "DIRECTOR"));
            assertThat(site.compute().launch(request).outcome()).isInstanceOf(LaunchOutcome.Refused.class);
            assertThat(site.compute().list())
                    .noneMatch(each -> each.intent().equals(request.intent())
                            && each.state().isLive());
        }
        options.clear();
    }

    @Test
    void aBootVolumeBelongsToItsServerAndGoesWithIt() throws Exception {
        options.put("diskGiB", "20");
        try (Site site = open()) {
            String id = site.compute()
                    .launch(request(1, Map.of()))
                    .instances()
                    .getFirst()
                    .id();
            assertThat(site.inventory().orElseThrow().all())
                    .filteredOn(thing -> thing.kind().equals("disk"))
                    .singleElement()
                    .extracting(Billable::instance)
                    .isEqualTo(id);
            site.compute().terminate(List.of(id));
            LocalCloudProcess.await(() -> kinds(site), kinds -> !kinds.contains("disk"));
        }
    }

    private static List<String> kinds(Site site) throws CloudException {
        return site.inventory().orElseThrow().all().stream().map(Billable::kind).toList();
    }

    /** As an administrator's credential sees it: the things of every project, some of the very names that we give. */
    @Test
    void whatAnotherProjectHasIsNeitherUsedNorShownNorDeleted() throws Exception {
        String marks = "'name': 'spillway-test-here', 'project_id': 'another', 'description':"
                + " 'spillway-cluster=test spillway-site=here'";
        options.put("network", "");
        options.put("adminCidr", "127.0.0.0/8");
        options.put("image", "twice");
        try (OpenStackCalls admin = OpenStackCalls.to(cloud);
                Site site = open()) {
            Map<String, String> theirs = new HashMap<>();
            theirs.put("networks", made(admin, "networks", "network", marks));
            theirs.put("routers", made(admin, "routers", "router", marks));
            theirs.put("security-groups", made(admin, "security-groups", "security_group", marks));
            String theirImage = "{'name': 'twice', 'owner': 'another', 'spillway-cluster': 'test'}";
            admin.call("POST", "image", "/v2/images", OpenStackCalls.quoted(theirImage));
            admin.call("POST", "image", "/v2/images", OpenStackCalls.quoted("{'name': 'twice'}"));
            assertThat(site.network().orElseThrow().create())
                    .extracting(Billable::id)
                    .isNotEmpty()
                    .doesNotContainAnyElementsOf(theirs.values());
            LaunchAnswer answer = site.compute().launch(request(1, Map.of()));
            assertThat(answer.outcome()).isEqualTo(new LaunchOutcome.Launched(1));
            assertThat(site.inventory().orElseThrow().all())
                    .extracting(Billable::id)
                    .doesNotContainAnyElementsOf(theirs.values());
            assertThat(site.inventory().orElseThrow().all())
                    .extracting(Billable::kind)
                    .contains("network", "router", "group")
                    .doesNotContain("image");
            site.compute().terminate(List.of(answer.instances().getFirst().id()));
            LocalCloudProcess.await(
                    () -> site.compute().list(),
                    all -> all.stream().noneMatch(each -> each.state().isLive()));
            site.network().orElseThrow().delete();
            for (Map.Entry<String, String> each : theirs.entrySet()) {
                assertThat(admin.call("GET", "network", "/v2.0/" + each.getKey() + "/" + each.getValue(), ""))
                        .isNotEmpty();
            }
        }
    }

    private static String made(OpenStackCalls admin, String path, String one, String fields) throws Exception {
        String body = OpenStackCalls.quoted("{'" + one + "': {" + fields + "}}");
        return admin.call("POST", "network", "/v2.0/" + path, body)
                .path(one)
                .path("id")
                .asText();
    }

    /** Nothing was sent: the launch is a refusal that passes, and a listing tells nobody that a machine is gone. */
    @Test
    void aNameThatIsNotFoundBuysNothingAndIsSaid() throws Exception {
        options.put("endpoint", "https://no-such-name.invalid/v3");
        try (Site site = open()) {
            assertThat(site.compute().launch(request(1, Map.of())).outcome())
                    .isInstanceOfSatisfying(LaunchOutcome.Refused.class, refused -> {
                        assertThat(refused.reason()).isEqualTo(LaunchOutcome.Reason.THROTTLED);
                        assertThat(refused.message()).contains("no-such-name.invalid");
                    });
            assertThatThrownBy(() -> site.compute().list())
                    .isInstanceOf(CloudException.class)
                    .hasMessageContaining("no-such-name.invalid");
        } finally {
            options.clear();
        }
    }
}
