package org.spillway.cloud.openstack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.Billable;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;
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

/** Servers as a site may want them to be made, on the wire. */
final class OpenStackServersTest {
    private static final AtomicInteger INTENTS = new AtomicInteger();
    private static final OfferingId PAPER = new OfferingId("here", "a", "paper", Market.ON_DEMAND);

    @TempDir
    private static Path directory;

    private static LocalCloudProcess cloud;
    private final Map<String, String> options = new HashMap<>();
    private OpenStackCalls person;

    @BeforeAll
    static void startCloud() throws Exception {
        cloud = LocalCloudProcess.start(directory, """
                zones: [a]
                types:
                  - {name: paper, cpus: 1, memoryGiB: 1, process: false, capacity: 1000, bootSeconds: 0}
                  - {name: bm.iron, cpus: 64, memoryGiB: 512, process: false, bootSeconds: 0}
                """, "nova");
        try (OpenStackCalls calls = OpenStackCalls.to(cloud)) {
            calls.call("POST", "network", "/v2.0/networks", "{\"network\": {\"name\": \"fabric\"}}");
        }
    }

    @AfterAll
    static void endCloud() throws Exception {
        cloud.close();
    }

    @BeforeEach
    void enter() throws Exception {
        person = OpenStackCalls.to(cloud);
    }

    @AfterEach
    void clear() throws Exception {
        cloud.clearFaults();
        cloud.breakAccount();
        options.clear();
        try (Site site = open()) {
            site.compute()
                    .terminate(site.compute().list().stream().map(Instance::id).toList());
        }
        for (JsonNode port : ports()) {
            if (port.path("device_id").asText().isEmpty()) {
                person.call(
                        "DELETE", "network", "/v2.0/ports/" + port.path("id").asText(), "");
            }
        }
        person.close();
    }

    private Site open() throws Exception {
        return open(Map.of("paper", Money.parse("0.01")));
    }

    private Site open(Map<String, Money> prices) throws Exception {
        Map<String, String> all = OpenStackCalls.options(cloud);
        all.putAll(options);
        return new OpenStackDriver()
                .open(SiteSettings.of("test", "here", all, directory).withPrices(prices));
    }

    private static LaunchRequest request(int count) {
        return LaunchRequest.of("servers-" + INTENTS.incrementAndGet(), 1, PAPER, count)
                .withTags(Map.of(Instance.TAG_ROLE, "NODE"));
    }

    private JsonNode server(Instance instance) throws Exception {
        return person.call("GET", "compute", "/servers/" + instance.id(), "").path("server");
    }

    private List<JsonNode> ports() throws Exception {
        return person.call("GET", "network", "/v2.0/ports", "")
                .path("ports")
                .valueStream()
                .filter(port -> port.has("binding:vnic_type"))
                .toList();
    }

    private static List<Finding> troubles(Site site) {
        return site.diagnostics().check(Diagnostics.Needs.NONE).stream()
                .filter(finding -> finding.verdict() != Verdict.GOOD)
                // The project's default group, and flavors without a price.
                .filter(finding -> !Set.of("security group", "prices").contains(finding.check()))
                .toList();
    }

    private static void refused(LaunchAnswer answer, Reason reason, String... words) {
        assertThat(answer.outcome()).isInstanceOfSatisfying(LaunchOutcome.Refused.class, no -> {
            assertThat(no.reason()).isEqualTo(reason);
            assertThat(no.message()).contains(words);
        });
    }

    private static List<Instance> launched(Site site, LaunchRequest request) {
        LaunchAnswer answer = site.compute().launch(request);
        assertThat(answer.outcome()).isEqualTo(new LaunchOutcome.Launched(request.count()));
        return answer.instances();
    }

    private static List<String> log(String word) throws Exception {
        return Files.readString(cloud.state().resolve("requests.log"))
                .lines()
                .filter(line -> line.contains(word))
                .toList();
    }

    @Test
    void aNovaThatIsTooOldIsSaidOnceAndNothingElse() throws Exception {
        cloud.breakAccount("nova-queens");
        try (Site site = open()) {
            refused(site.compute().launch(request(1)), Reason.INVALID, "2.1 to 2.60", "2.61");
            assertThatThrownBy(() -> site.compute().list())
                    .isInstanceOfSatisfying(
                            CloudException.class, no -> assertThat(no.reason()).isEqualTo(Reason.INVALID))
                    .hasMessageContaining("2.61");
            assertThat(troubles(site)).singleElement().satisfies(finding -> {
                assertThat(finding.check()).isEqualTo("compute version");
                assertThat(finding.verdict()).isEqualTo(Verdict.BROKEN);
            });
        }
    }

    @Test
    void theVersionsAreAskedForOnce() throws Exception {
        int before = log("/compute/v2.1/ ").size();
        try (Site site = open()) {
            site.compute().list();
            site.compute().list();
            launched(site, request(1));
        }
        assertThat(log("/compute/v2.1/ ")).hasSize(before + 1);
    }

    @Test
    void aVolumeTypeIsOnTheDiskOrRefusedWithWhatToDo() throws Exception {
        options.putAll(Map.of("diskGiB", "20", "volumeType", "fast"));
        try (Site site = open()) {
            assertThat(troubles(site)).isEmpty();
            String id = launched(site, request(1)).getFirst().id();
            assertThat(person.call("GET", "volumev3", "/volumes/detail", "").path("volumes"))
                    .filteredOn(volume -> volume.path("attachments")
                            .path(0)
                            .path("server_id")
                            .asText()
                            .equals(id))
                    .singleElement()
                    .satisfies(volume ->
                            assertThat(volume.path("volume_type").asText()).isEqualTo("fast"));
        }
        cloud.breakAccount("nova-rocky");
        try (Site site = open()) {
            site.compute().list();
            refused(site.compute().launch(request(1)), Reason.INVALID, "2.67", "leave it out");
            assertThat(troubles(site)).singleElement().satisfies(finding -> {
                assertThat(finding.check()).isEqualTo("volume type");
                assertThat(finding.repair()).contains("default-type-set fast");
            });
        }
        cloud.breakAccount();
        options.put("volumeType", "slow");
        try (Site site = open()) {
            refused(site.compute().launch(request(1)), Reason.INVALID, "Volume type slow could not be found");
            assertThat(troubles(site))
                    .singleElement()
                    .satisfies(finding -> assertThat(finding.detail()).contains("slow", "fast"));
        }
    }

    @Test
    void aConfigDriveIsAskedForOrNot() throws Exception {
        for (Map.Entry<String, String> each :
                Map.of("true", "True", "false", "", "default", "").entrySet()) {
            options.put("configDrive", each.getKey());
            try (Site site = open()) {
                assertThat(server(launched(site, request(1)).getFirst())
                                .path("config_drive")
                                .asText("none"))
                        .as(each.getKey())
                        .isEqualTo(each.getValue());
            }
        }
    }

    @Test
    void aNetworkWithoutAddressesByDhcpWantsAConfigDrive() throws Exception {
        String made = person.call("POST", "network", "/v2.0/networks", "{\"network\": {\"name\": \"silent\"}}")
                .path("network")
                .path("id")
                .asText();
        person.call(
                "POST",
                "network",
                "/v2.0/subnets",
                "{\"subnet\": {\"network_id\": \"" + made + "\", \"cidr\": \"10.8.0.0/24\", \"enable_dhcp\": false}}");
        options.put("network", "silent");
        try (Site site = open()) {
            assertThat(troubles(site)).singleElement().satisfies(finding -> {
                assertThat(finding.check()).isEqualTo("config drive");
                assertThat(finding.verdict()).isEqualTo(Verdict.WARNING);
            });
        }
        options.put("configDrive", "true");
        try (Site site = open()) {
            assertThat(troubles(site)).isEmpty();
        }
    }

    @Test
    void portsOfAKindAreMadeBeforeTheirServersAndGoAfterThem() throws Exception {
        options.put("vnicType", "direct");
        try (Site site = open()) {
            List<Instance> servers = launched(site, request(3));
            assertThat(ports()).hasSize(3).allSatisfy(port -> {
                assertThat(port.path("binding:vnic_type").asText()).isEqualTo("direct");
                assertThat(port.path("description").asText()).contains("spillway-cluster=test", "spillway-intent=");
            });
            assertThat(ports())
                    .extracting(port -> port.path("device_id").asText())
                    .containsExactlyInAnyOrderElementsOf(
                            servers.stream().map(Instance::id).toList());
            assertThat(site.compute().list()).hasSize(3);
            assertThat(troubles(site)).isEmpty();
            site.compute().terminate(servers.stream().map(Instance::id).toList());
            assertThat(ports()).isEmpty();
        }
    }

    @Test
    void aNeutronWithoutKindsOfPortsIsSaid() throws Exception {
        options.put("vnicType", "direct");
        cloud.breakAccount("no-port-binding");
        try (Site site = open()) {
            assertThat(troubles(site)).singleElement().satisfies(finding -> {
                assertThat(finding.check()).isEqualTo("vnic type");
                assertThat(finding.verdict()).isEqualTo(Verdict.BROKEN);
            });
        }
    }

    @Test
    void aRefusedLaunchLeavesNoPorts() throws Exception {
        options.put("vnicType", "direct");
        cloud.breakAccount("image-inactive");
        try (Site site = open()) {
            refused(site.compute().launch(request(2)), Reason.INVALID, "is not active");
            assertThat(ports()).isEmpty();
        }
    }

    /** A head that was killed between a port and its server. */
    @Test
    void aPortThatWasLeftIsOnTheBillAndGoesWithTheNextLaunch() throws Exception {
        options.put("vnicType", "direct");
        String lan = person.find("network", "/v2.0/networks", "networks", "lan").orElseThrow();
        for (String born : List.of("2020-01-01T00:00:00Z", "")) {
            String time = born.isEmpty() ? "" : "\"created_at\": \"" + born + "\", ";
            person.call(
                    "POST",
                    "network",
                    "/v2.0/ports",
                    "{\"port\": {" + time + "\"name\": \"left" + born + "\", \"network_id\": \"" + lan
                            + "\", \"binding:vnic_type\": \"direct\", \"description\": \"spillway-cluster=test"
                            + " spillway-site=here spillway-role=NODE spillway-intent=killed\"}}");
        }
        try (Site site = open()) {
            assertThat(site.inventory().orElseThrow().all())
                    .filteredOn(thing -> thing.kind().equals("interface"))
                    .hasSize(2)
                    .allSatisfy(thing -> {
                        assertThat(thing.evidence()).isEqualTo(Billable.Evidence.TAG);
                        assertThat(thing.tags()).containsEntry(Instance.TAG_INTENT, "killed");
                    });
            launched(site, request(1));
            assertThat(ports())
                    .extracting(port -> port.path("name").asText())
                    .as("one that was made just now may be another launch's")
                    .hasSize(2)
                    .contains("left")
                    .doesNotContain("left2020-01-01T00:00:00Z");
        }
    }

    @Test
    void ofSeveralNetworksTheFirstOnesAddressIsTheServers() throws Exception {
        options.put("moreNetworks", "fabric=direct");
        try (Site site = open()) {
            Instance server = launched(site, request(1)).getFirst();
            assertThat(server.address()).startsWith("127.");
            assertThat(server.inside()).isEqualTo(server.address());
            assertThat(server(server).path("addresses").size()).isEqualTo(2);
            assertThat(ports()).hasSize(1);
            assertThat(troubles(site)).isEmpty();
        }
        options.put("moreNetworks", "fabric");
        try (Site site = open()) {
            long calls = log("POST /compute/v2.1/servers ").size();
            launched(site, request(2));
            assertThat(log("POST /compute/v2.1/servers "))
                    .as("without ports of its own a launch is one request")
                    .hasSize((int) calls + 1);
        }
        options.put("moreNetworks", "nowhere");
        try (Site site = open()) {
            refused(site.compute().launch(request(1)), Reason.INVALID, "no one network 'nowhere'");
            assertThat(troubles(site)).extracting(Finding::check).containsExactly("more networks");
        }
    }

    @Test
    void theProjectIsReadOnceAndThenOnlyOurOwn() throws Exception {
        try (Site site = open()) {
            launched(site, request(2));
            assertThat(site.compute().list()).hasSize(2);
            // Somebody else's.
            person.call(
                    "POST",
                    "compute",
                    "/servers",
                    OpenStackCalls.quoted("{'server': {" + person.server("paper") + "}}"));
            int before = log("servers 2").size();
            assertThat(site.compute().list()).hasSize(2);
            assertThat(log("servers 2")).as("the answer has ours alone").hasSize(before + 1);
        }
    }

    /** As an earlier release has launched them. */
    @Test
    void aServerWithoutTheTagIsNotOverlooked() throws Exception {
        String fields = person.server("paper")
                + ", 'metadata': {'spillway-cluster': 'test', 'spillway-site': 'here', 'spillway-intent': 'old'}";
        String id = person.call("POST", "compute", "/servers", OpenStackCalls.quoted("{'server': {" + fields + "}}"))
                .path("server")
                .path("id")
                .asText();
        try (Site site = open()) {
            for (int look = 0; look < 3; look++) {
                assertThat(site.compute().list()).extracting(Instance::id).contains(id);
            }
            site.compute().terminate(List.of(id));
        }
    }

    @Test
    void ironicsFlavorsWantPatience() throws Exception {
        Money price = Money.parse("0.01");
        options.put("removalSeconds", "599");
        try (Site site = open(Map.of("bm.iron", price))) {
            assertThat(troubles(site))
                    .filteredOn(finding -> finding.check().equals("bare metal"))
                    .singleElement()
                    .satisfies(finding -> assertThat(finding.repair()).contains("removalSeconds", "registration"));
        }
        options.put("removalSeconds", "600");
        try (Site site = open(Map.of("bm.iron", price))) {
            assertThat(troubles(site)).extracting(Finding::check).doesNotContain("bare metal");
        }
        options.put("diskGiB", "20");
        try (Site site = open(Map.of("bm.iron", price))) {
            assertThat(troubles(site)).extracting(Finding::repair).anyMatch(repair -> repair.contains("diskGiB"));
        }
    }

    @Test
    void gpusOfAFlavorAreTheSitesWord() throws Exception {
        options.put("flavorGpus", "paper=8xh100:80");
        try (Site site = open()) {
            assertThat(site.compute().offerings()).singleElement().satisfies(offering -> {
                assertThat(offering.resources().gpus()).isEqualTo(8);
                assertThat(offering.resources().gpuModel()).isEqualTo("h100");
                assertThat(offering.gpuMemoryBytes()).isEqualTo(80L << 30);
            });
            assertThat(troubles(site)).isEmpty();
        }
        options.put("flavorGpus", "paper=-,papre=1xa100");
        try (Site site = open()) {
            assertThat(troubles(site)).singleElement().satisfies(finding -> {
                assertThat(finding.check()).isEqualTo("flavorGpus");
                assertThat(finding.detail()).contains("papre");
            });
        }
    }
}
