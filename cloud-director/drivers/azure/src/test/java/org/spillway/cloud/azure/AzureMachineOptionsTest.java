package org.spillway.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Site;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

/** Finding C9: what sites want of their machines arrives at the resource manager. */
final class AzureMachineOptionsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String IDENTITIES =
            ArmCloud.GROUP + "/providers/Microsoft.ManagedIdentity/userAssignedIdentities/";
    private static final String KEYS = ArmCloud.GROUP + "/providers/Microsoft.Compute/diskEncryptionSets/keys";
    private static final Map<String, String> OPTIONS = Map.of(
            "identity",
            IDENTITIES + "nodes",
            "directorIdentity",
            IDENTITIES + "directors",
            "diskEncryptionSet",
            KEYS,
            "diskType",
            "Premium_LRS",
            "tags",
            "team=hpc,cost-centre=42");

    @TempDir
    private static Path directory;

    private static ArmCloud cloud;

    @BeforeAll
    static void startCloud() throws Exception {
        cloud = new ArmCloud(directory, """
                zones: [a]
                types:
                  - {name: small, cpus: 2, memoryGiB: 4, process: false, bootSeconds: 0}
                """);
        try (Site base = cloud.open("c", "s", cloud.options())) {
            base.network().orElseThrow().create();
        }
        cloud.put("Microsoft.Compute/diskEncryptionSets", "keys", "{}", "");
    }

    @AfterAll
    static void endCloud() throws Exception {
        cloud.close();
    }

    @AfterEach
    void mend() throws Exception {
        cloud.process().breakAccount();
    }

    private static Site with(Map<String, String> more) throws Exception {
        Map<String, String> options = cloud.options();
        options.putAll(more);
        return cloud.open("c", "s", options);
    }

    private static LaunchRequest request(String intent, Map<String, String> tags) {
        return LaunchRequest.of(intent, 1, new OfferingId("s", "a", "small", Market.ON_DEMAND), 1)
                .withTags(tags);
    }

    private static JsonNode seen(String id) throws Exception {
        String path = id.startsWith("/") ? id : ArmCloud.GROUP + "/providers/Microsoft.Compute/virtualMachines/" + id;
        return JSON.readTree(cloud.call("GET", path, "").body());
    }

    private static List<Finding> troubles(Site site) {
        return site.diagnostics().check(new Diagnostics.Needs(Set.of("small"), "")).stream()
                .filter(finding -> finding.verdict() != Verdict.GOOD)
                .toList();
    }

    /** Without threads there are half as many CPUs, in what is offered as in what comes; the quota counts them all. */
    @Test
    void coresWithoutThreads() throws Exception {
        try (Site site = with(Map.of("smt", "off"))) {
            assertThat(site.compute().offerings())
                    .isNotEmpty()
                    .allMatch(offering -> offering.resources().cpus() == 1);
            var answer = site.compute().launch(request("t-1", Map.of()));
            assertThat(answer.outcome()).isEqualTo(new LaunchOutcome.Launched(1));
            JsonNode hardware =
                    seen(answer.instances().getFirst().id()).at("/properties/hardwareProfile/vmSizeProperties");
            assertThat(hardware.path("vCPUsAvailable").asInt()).isEqualTo(1);
            assertThat(hardware.path("vCPUsPerCore").asInt()).isEqualTo(1);
        }
        try (Site site = with(Map.of())) {
            assertThat(site.compute().offerings())
                    .allMatch(offering -> offering.resources().cpus() == 2);
            var answer = site.compute().launch(request("t-2", Map.of()));
            assertThat(seen(answer.instances().getFirst().id())
                            .at("/properties/hardwareProfile")
                            .has("vmSizeProperties"))
                    .isFalse();
        }
    }

    @Test
    void aMachineIsAsTheSiteWantsIt() throws Exception {
        try (Site site = with(OPTIONS)) {
            var answer = site.compute().launch(request("o-1", Map.of()));
            assertThat(answer.outcome()).isEqualTo(new LaunchOutcome.Launched(1));
            JsonNode machine = seen(answer.instances().getFirst().id());
            assertThat(machine.at("/identity/type").asText()).isEqualTo("UserAssigned");
            assertThat(machine.at("/identity/userAssignedIdentities").fieldNames())
                    .toIterable()
                    .containsExactly(IDENTITIES + "nodes");
            assertThat(machine.at("/tags/team").asText()).isEqualTo("hpc");
            assertThat(machine.at("/tags/cost-centre").asText()).isEqualTo("42");
            JsonNode disk = machine.at("/properties/storageProfile/osDisk/managedDisk");
            assertThat(disk.path("storageAccountType").asText()).isEqualTo("Premium_LRS");
            assertThat(disk.at("/diskEncryptionSet/id").asText()).isEqualTo(KEYS);
            var director = site.compute()
                    .launch(request("o-2", Map.of(Instance.TAG_ROLE, "DIRECTOR")))
                    .instances()
                    .getFirst();
            assertThat(seen(director.id())
                            .at("/identity/userAssignedIdentities")
                            .fieldNames())
                    .toIterable()
                    .containsExactly(IDENTITIES + "directors");
            assertThat(troubles(site)).isEmpty();
        }
    }

    /** Tags of the owner tell nobody whose a network is: it was made before they were wanted. */
    @Test
    void aNetworkStaysTheSitesWhenItsOwnerWantsOtherTags() throws Exception {
        try (Site site = with(Map.of("tags", "team=other"))) {
            var network = site.network().orElseThrow();
            String id = network.create().getLast().id();
            assertThat(seen(id).at("/tags/team").asText()).isEqualTo("other");
        }
        try (Site site = with(Map.of())) {
            assertThat(site.network().orElseThrow().create()).isNotEmpty();
        }
    }

    /** A dry run finds an identity that we may not give to a machine. */
    @Test
    void anIdentityThatMayNotBeAssignedIsToldAndRefused() throws Exception {
        cloud.process().breakAccount("no-identity-assign");
        try (Site site = with(OPTIONS)) {
            assertThat(troubles(site)).singleElement().satisfies(finding -> {
                assertThat(finding.check()).isEqualTo("dry run");
                assertThat(finding.verdict()).isEqualTo(Verdict.BROKEN);
                assertThat(finding.detail()).contains("Microsoft.ManagedIdentity/userAssignedIdentities/assign/action");
            });
            assertThat(site.compute().launch(request("o-3", Map.of())).outcome())
                    .isInstanceOfSatisfying(
                            LaunchOutcome.Refused.class,
                            refused -> assertThat(refused.reason()).isEqualTo(LaunchOutcome.Reason.CREDENTIALS));
        }
    }

    @Test
    void anImageThatIsSoldIsBoughtByItsPlan() throws Exception {
        cloud.process().breakAccount("image-plan");
        try (Site site = with(Map.of())) {
            assertThat(site.compute().launch(request("o-4", Map.of())).outcome())
                    .isInstanceOfSatisfying(
                            LaunchOutcome.Refused.class,
                            refused -> assertThat(refused.reason()).isEqualTo(LaunchOutcome.Reason.INVALID));
        }
        try (Site site = with(Map.of("plan", "Canonical/ubuntu-24_04-lts/server"))) {
            assertThat(troubles(site)).isEmpty();
            assertThat(site.compute().launch(request("o-5", Map.of())).outcome())
                    .isEqualTo(new LaunchOutcome.Launched(1));
            cloud.process().breakAccount();
            assertThat(troubles(site)).singleElement().satisfies(finding -> {
                assertThat(finding.check()).isEqualTo("image");
                assertThat(finding.repair()).isEqualTo("leave out plan");
            });
        }
    }
}
