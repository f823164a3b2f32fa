package org.spillway.cloud.openstack;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.Billable;
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

/** Servers as a site may want them to be made, read back from the real services of {@code labs/openstack}. */
@EnabledIfEnvironmentVariable(
        named = OpenStackLabContractTest.LAB,
        matches = ".+",
        disabledReason = "SPILLWAY_OPENSTACK_LAB names no running lab; labs/openstack/contract.sh starts one")
final class OpenStackLabServersTest {
    private static final AtomicInteger INTENTS = new AtomicInteger();
    private static final OfferingId TINY = new OfferingId("wants", "nova", "m1.tiny", Market.ON_DEMAND);

    @TempDir
    private static Path directory;

    private static Path lab;
    private static LocalCloudProcess hypervisor;
    private static CuttingProxy proxy;
    private static OpenStackCalls demo;
    private final Map<String, String> options = new HashMap<>();

    @BeforeAll
    static void openLab() throws Exception {
        lab = Path.of(System.getenv(OpenStackLabContractTest.LAB)).toAbsolutePath();
        String keystone = Files.readString(lab.resolve("endpoint")).strip();
        String password = Files.readString(lab.resolve("password")).strip();
        hypervisor = OpenStackLabContractTest.hypervisor(lab);
        proxy = new CuttingProxy(URI.create(keystone).getHost());
        demo = new OpenStackCalls(keystone, "demo", password, "demo");
        String network = demo.call("POST", "network", "/v2.0/networks", "{\"network\": {\"name\": \"fabric\"}}")
                .path("network")
                .path("id")
                .asText();
        demo.call(
                "POST",
                "network",
                "/v2.0/subnets",
                "{\"subnet\": {\"network_id\": \"" + network
                        + "\", \"ip_version\": 4, \"cidr\": \"127.62.0.0/24\", \"enable_dhcp\": false}}");
    }

    @AfterAll
    static void closeLab() throws Exception {
        String fabric =
                demo.find("network", "/v2.0/networks", "networks", "fabric").orElseThrow();
        LocalCloudProcess.await(() -> portsIn(fabric), List::isEmpty);
        demo.call("DELETE", "network", "/v2.0/networks/" + fabric, "");
        demo.close();
        proxy.close();
        hypervisor.close();
    }

    @AfterEach
    void clear() throws Exception {
        proxy.clear();
        options.clear();
        try (Site site = open()) {
            site.compute()
                    .terminate(site.compute().list().stream().map(Instance::id).toList());
            LocalCloudProcess.await(() -> site.compute().list(), List::isEmpty);
        }
    }

    private Site open() {
        Map<String, String> all = new HashMap<>(Map.of(
                "endpoint", proxy.keystone(),
                "region", "RegionOne",
                "user", "demo",
                "project", "demo",
                "passwordFile", lab.resolve("password").toString(),
                "image", "stock",
                "network", "lan",
                "securityGroup", "default",
                "timeoutSeconds", "120"));
        all.putAll(options);
        all.values().removeIf(String::isEmpty);
        return new OpenStackDriver()
                .open(SiteSettings.of("servers", "wants", all, directory)
                        .withPrices(Map.of("m1.tiny", Money.parse("0.10"))));
    }

    private static List<Instance> launched(Site site, int count) {
        LaunchAnswer answer = site.compute().launch(request(count));
        assertThat(answer.outcome()).isEqualTo(new LaunchOutcome.Launched(count));
        return answer.instances();
    }

    /** With an address: a server that only has a host has none. */
    private static List<Instance> running(Site site) throws Exception {
        return LocalCloudProcess.await(
                () -> site.compute().list(),
                all -> all.stream().allMatch(each -> each.state() == Instance.State.RUNNING));
    }

    private static LaunchRequest request(int count) {
        return LaunchRequest.of("servers-" + INTENTS.incrementAndGet(), 1, TINY, count)
                .withTags(Map.of(Instance.TAG_ROLE, "NODE"));
    }

    private static JsonNode server(Instance instance) throws Exception {
        return demo.call("GET", "compute", "/servers/" + instance.id(), "").path("server");
    }

    private static List<JsonNode> portsIn(String network) throws Exception {
        return demo.call("GET", "network", "/v2.0/ports?network_id=" + network, "")
                .path("ports")
                .valueStream()
                .toList();
    }

    private static List<JsonNode> ours() throws Exception {
        return demo.call("GET", "network", "/v2.0/ports", "")
                .path("ports")
                .valueStream()
                .filter(port -> port.path("description").asText("").contains("spillway-cluster=servers"))
                .toList();
    }

    private static List<Finding> broken(Site site) {
        return site.diagnostics().check(Diagnostics.Needs.NONE).stream()
                .filter(finding -> finding.verdict() == Verdict.BROKEN)
                .toList();
    }

    private static String detail(Site site, String check) {
        return site.diagnostics().check(Diagnostics.Needs.NONE).stream()
                .filter(finding -> finding.check().equals(check))
                .map(Finding::detail)
                .findFirst()
                .orElse("");
    }

    @Test
    void theCloudsOwnVersionsAreTold() {
        try (Site site = open()) {
            assertThat(detail(site, "compute version")).isEqualTo("2.1 to 2.93; compute 2.61 is asked for");
            assertThat(broken(site)).isEmpty();
        }
    }

    /** The document of a Nova that is older; the rest is the lab's. */
    @Test
    void anOlderNovaIsRefusedBeforeAnythingIsSent() throws Exception {
        proxy.add((asked, way) -> {
            if (!asked.path().endsWith("/v2.1/")) {
                return java.util.Optional.empty();
            }
            CuttingProxy.Answer answer = way.on(asked);
            return java.util.Optional.of(
                    new CuttingProxy.Fate.Answered(answer.with(answer.body().replace("\"2.93\"", "\"2.65\""))));
        });
        options.putAll(Map.of("diskGiB", "1", "volumeType", "fast"));
        try (Site site = open()) {
            assertThat(site.compute().launch(request(1)).outcome())
                    .isInstanceOfSatisfying(LaunchOutcome.Refused.class, no -> {
                        assertThat(no.reason()).isEqualTo(Reason.INVALID);
                        assertThat(no.message()).contains("2.1 to 2.65", "2.67");
                    });
        }
    }

    @Test
    void aVolumeOfThatTypeIsCindersAndGoesWithItsServer() throws Exception {
        options.putAll(Map.of("diskGiB", "1", "volumeType", "fast"));
        try (Site site = open()) {
            assertThat(broken(site)).isEmpty();
            assertThat(detail(site, "volume type")).isEqualTo("fast");
            String id = launched(site, 1).getFirst().id();
            List<JsonNode> volumes = LocalCloudProcess.await(() -> volumes(id), some -> !some.isEmpty());
            assertThat(volumes).singleElement().satisfies(volume -> {
                assertThat(volume.path("volume_type").asText()).isEqualTo("fast");
                assertThat(volume.path("size").asInt()).isEqualTo(1);
            });
            assertThat(site.inventory().orElseThrow().all())
                    .filteredOn(thing -> thing.kind().equals("disk"))
                    .extracting(Billable::instance)
                    .containsExactly(id);
            LocalCloudProcess.await(
                    () -> site.compute().list(), all -> all.getFirst().state() == Instance.State.RUNNING);
            site.compute().terminate(List.of(id));
            LocalCloudProcess.await(
                    () -> demo.call("GET", "volumev3", "/volumes/detail", "").path("volumes"), JsonNode::isEmpty);
        }
        options.put("volumeType", "no-such");
        try (Site site = open()) {
            assertThat(broken(site))
                    .singleElement()
                    .satisfies(finding -> assertThat(finding.detail()).contains("no-such", "fast", "plain"));
            assertThat(site.compute().launch(request(1)).outcome())
                    .isInstanceOfSatisfying(LaunchOutcome.Refused.class, no -> {
                        assertThat(no.reason()).isEqualTo(Reason.INVALID);
                        assertThat(no.message()).contains("Volume type no-such could not be found");
                    });
        }
    }

    private static List<JsonNode> volumes(String server) throws Exception {
        return demo.call("GET", "volumev3", "/volumes/detail", "")
                .path("volumes")
                .valueStream()
                .filter(volume -> volume.path("attachments")
                        .path(0)
                        .path("server_id")
                        .asText()
                        .equals(server))
                .toList();
    }

    @Test
    void aConfigDriveIsAskedForOrNot() throws Exception {
        for (Map.Entry<String, String> each :
                Map.of("true", "True", "false", "", "default", "").entrySet()) {
            options.put("configDrive", each.getKey());
            try (Site site = open()) {
                assertThat(server(launched(site, 1).getFirst())
                                .path("config_drive")
                                .asText("none"))
                        .as(each.getKey())
                        .isEqualTo(each.getValue());
                assertThat(detail(site, "config drive").isEmpty())
                        .as("the lab's networks have no DHCP")
                        .isEqualTo(each.getKey().equals("true"));
            }
        }
    }

    @Test
    void portsOfAKindAreMadeBeforeTheirServersAndGoAfterThem() throws Exception {
        options.put("vnicType", "direct");
        try (Site site = open()) {
            assertThat(broken(site)).isEmpty();
            List<Instance> servers = launched(site, 3);
            assertThat(running(site))
                    .allSatisfy(each -> assertThat(each.address()).startsWith("127.60."));
            assertThat(ours())
                    .hasSize(3)
                    .allSatisfy(port ->
                            assertThat(port.path("binding:vnic_type").asText()).isEqualTo("direct"));
            assertThat(ours())
                    .extracting(port -> port.path("device_id").asText())
                    .containsExactlyInAnyOrderElementsOf(
                            servers.stream().map(Instance::id).toList());
            assertThat(site.inventory().orElseThrow().all())
                    .filteredOn(thing -> thing.kind().equals("interface"))
                    .extracting(Billable::instance)
                    .containsExactlyInAnyOrderElementsOf(
                            servers.stream().map(Instance::id).toList());
            site.compute().terminate(servers.stream().map(Instance::id).toList());
            assertThat(ours()).isEmpty();
        }
    }

    /** The lab's cards have virtual functions, and no whole one to give away. */
    @Test
    void aLaunchThatFindsNoHostLeavesNoPorts() throws Exception {
        options.put("vnicType", "direct-physical");
        try (Site site = open()) {
            assertThat(site.compute().launch(request(2)).outcome())
                    .isInstanceOfSatisfying(
                            LaunchOutcome.Refused.class,
                            no -> assertThat(no.reason()).isEqualTo(Reason.CAPACITY));
            assertThat(ours()).isEmpty();
        }
    }

    /** Nova itself refuses it after the ports were made. */
    @Test
    void aRefusedLaunchLeavesNoPorts() throws Exception {
        options.put("vnicType", "macvtap");
        proxy.add((asked, way) -> asked.launches()
                ? java.util.Optional.of(new CuttingProxy.Fate.Answered(
                        way.on(asked.with(asked.body().replace("\"flavorRef\":\"", "\"flavorRef\":\"no-")))))
                : java.util.Optional.empty());
        try (Site site = open()) {
            assertThat(site.compute().launch(request(2)).outcome())
                    .isInstanceOfSatisfying(
                            LaunchOutcome.Refused.class,
                            no -> assertThat(no.reason()).isEqualTo(Reason.INVALID));
            assertThat(ours()).isEmpty();
        }
    }

    @Test
    void aPortThatALostLaunchLeftIsOnTheBill() throws Exception {
        options.put("vnicType", "direct");
        proxy.add((asked, way) ->
                asked.launches() ? java.util.Optional.of(new CuttingProxy.Fate.Dropped()) : java.util.Optional.empty());
        LaunchRequest request = request(1);
        try (Site site = open()) {
            assertThat(site.compute().launch(request).outcome()).isInstanceOf(LaunchOutcome.Unknown.class);
            List<Billable> left = site.inventory().orElseThrow().all().stream()
                    .filter(thing -> thing.kind().equals("interface"))
                    .toList();
            assertThat(left).singleElement().satisfies(thing -> {
                assertThat(thing.evidence()).isEqualTo(Billable.Evidence.TAG);
                assertThat(thing.tags()).containsEntry(Instance.TAG_INTENT, request.intent());
                assertThat(thing.instance()).isEmpty();
            });
            site.inventory().orElseThrow().delete(left.getFirst());
            assertThat(ours()).isEmpty();
        }
    }

    @Test
    void aSecondNetworkHasItsInterfaceAndNotTheAddress() throws Exception {
        options.put("moreNetworks", "fabric=direct");
        String fabric =
                demo.find("network", "/v2.0/networks", "networks", "fabric").orElseThrow();
        try (Site site = open()) {
            assertThat(broken(site)).isEmpty();
            launched(site, 1);
            Instance server = running(site).getFirst();
            assertThat(server.address()).startsWith("127.60.");
            assertThat(LocalCloudProcess.await(
                                    () -> server(server).path("addresses"), addresses -> addresses.size() == 2)
                            .path("fabric")
                            .path(0)
                            .path("addr")
                            .asText())
                    .startsWith("127.62.");
            assertThat(portsIn(fabric))
                    .singleElement()
                    .satisfies(port ->
                            assertThat(port.path("binding:vnic_type").asText()).isEqualTo("direct"));
        }
    }

    @Test
    void listingsAreOfOurTag() throws Exception {
        List<String> asked = new CopyOnWriteArrayList<>();
        proxy.add((each, way) -> {
            if (each.lists()) {
                asked.add(each.path());
            }
            return java.util.Optional.empty();
        });
        JsonNode other = demo.call(
                "POST", "compute", "/servers", OpenStackCalls.quoted("{'server': {" + demo.server("m1.tiny") + "}}"));
        try (Site site = open()) {
            List<Instance> servers = launched(site, 2);
            site.compute().list();
            asked.clear();
            assertThat(site.compute().list())
                    .extracting(Instance::id)
                    .containsExactlyInAnyOrderElementsOf(
                            servers.stream().map(Instance::id).toList());
            assertThat(asked).singleElement().satisfies(path -> assertThat(path).contains("tags=spillway-"));
            assertThat(server(servers.getFirst()).path("tags").path(0).asText()).startsWith("spillway-");
        } finally {
            demo.call(
                    "DELETE",
                    "compute",
                    "/servers/" + other.path("server").path("id").asText(),
                    "");
        }
    }

    @Test
    void aCloudsFileLogsIn() throws Exception {
        Path file = directory.resolve("clouds.yaml");
        Files.writeString(file, """
                clouds:
                  lab:
                    auth:
                      auth_url: %s
                      username: demo
                      password: %s
                      project_name: demo
                      user_domain_id: default
                      project_domain_name: Default
                    region_name: RegionOne
                """.formatted(
                proxy.keystone(), Files.readString(lab.resolve("password")).strip()));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        for (String key : List.of("endpoint", "region", "user", "project", "passwordFile")) {
            options.put(key, "");
        }
        options.putAll(Map.of("cloud", "lab", "cloudsFile", file.toString()));
        try (Site site = open()) {
            assertThat(broken(site))
                    .singleElement()
                    .satisfies(finding -> assertThat(finding.detail()).contains("mode 600"));
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
            assertThat(broken(site)).isEmpty();
            assertThat(site.compute().offerings()).isNotEmpty();
        }
    }
}
