package org.spillway.cloud.openstack;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;
import org.spillway.localcloud.LocalCloudProcess;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.OfferingId;

/** Broken projects: doctor says of each the one thing that is wrong and what to do about it, before anything is bought. */
final class OpenStackBrokenAccountsTest {
    private static final Diagnostics.Needs NEEDS = new Diagnostics.Needs(Set.of("dear"), "");

    @TempDir
    private static Path directory;

    private static LocalCloudProcess cloud;

    @BeforeAll
    static void startCloud() throws Exception {
        cloud = LocalCloudProcess.start(directory, """
                zones: [a]
                types:
                  - {name: paper, cpus: 1, memoryGiB: 1, process: false, bootSeconds: 0}
                  - {name: dear, cpus: 8, memoryGiB: 64, process: false, bootSeconds: 0}
                """, "nova");
        // A person's key of the same user.
        try (Site site = open(Map.of("keyName", "", "publicKeyFile", key().toString()))) {
            site.network().orElseThrow().create();
        }
    }

    @AfterAll
    static void endCloud() throws Exception {
        cloud.close();
    }

    @AfterEach
    void mend() throws Exception {
        cloud.breakAccount();
    }

    private static Path key() throws Exception {
        return Files.writeString(directory.resolve("key.pub"), "ssh-ed25519 AAAA person");
    }

    private static Site open(Map<String, String> more) throws Exception {
        Map<String, String> options = new HashMap<>(Map.of(
                "endpoint",
                cloud.apiEndpoint() + "/v3",
                "image",
                "stock",
                "network",
                "lan",
                "floatingNetwork",
                "public",
                "adminCidr",
                "192.0.2.7/32",
                "keyName",
                "spillway-c-s",
                "applicationCredentialId",
                "spillway",
                "applicationCredentialSecretFile",
                "cloud/api/nova/password"));
        options.putAll(more);
        options.values().removeIf(String::isEmpty);
        return new OpenStackDriver()
                .open(SiteSettings.of("c", "s", options, directory)
                        .withPrices(Map.of("paper", Money.parse("0.01"), "dear", Money.parse("0.10"))));
    }

    private static List<Finding> troubles() throws Exception {
        try (Site site = open(Map.of())) {
            return site.diagnostics().check(NEEDS).stream()
                    .filter(finding -> finding.verdict() != Verdict.GOOD)
                    .toList();
        }
    }

    @Test
    void aProjectThatIsAsItShouldBeHasNoTrouble() throws Exception {
        assertThat(troubles()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            quota-instances     | quota instances  | openstack quota set --instances NUMBER
            quota-cores         | quota cores      | openstack quota set --cores NUMBER
            quota-ram           | quota ram        | openstack quota set --ram NUMBER
            flavor-hidden       | type dear        | openstack flavor set --project PROJECT dear
            image-inactive      | image            | openstack image set --activate
            image-large         | image            | leave them out by flavors
            no-external-network | external network | openstack network list --external
            key-foreign         | key              | openstack keypair create --public-key FILE spillway-c-s
            expired-credential  | credentials      | make a new application credential
            no-endpoint         | region           | openstack catalog list
            """)
    void eachBrokenProjectHasOneTroubleAndItsRemedy(String kind, String check, String repair) throws Exception {
        cloud.breakAccount(kind);
        assertThat(troubles()).singleElement().satisfies(finding -> {
            assertThat(finding.check()).isEqualTo(check);
            assertThat(finding.verdict()).as(finding.detail()).isEqualTo(Verdict.BROKEN);
            assertThat(finding.repair()).contains(repair);
        });
    }

    /** Nova's own answer to a launch is then what the driver takes it for. */
    @ParameterizedTest
    @CsvSource({
        "quota-instances, QUOTA",
        "quota-cores, QUOTA",
        "quota-ram, QUOTA",
        "image-inactive, INVALID",
        "image-large, INVALID",
        "key-foreign, INVALID"
    })
    void aLaunchIsRefusedForTheSameReason(String kind, LaunchOutcome.Reason reason) throws Exception {
        cloud.breakAccount(kind);
        try (Site site = open(Map.of())) {
            OfferingId offering = new OfferingId("s", "a", "dear", Market.ON_DEMAND);
            assertThat(site.compute()
                            .launch(LaunchRequest.of("refused-" + kind, 1, offering, 1))
                            .outcome())
                    .isInstanceOfSatisfying(
                            LaunchOutcome.Refused.class,
                            refused -> assertThat(refused.reason())
                                    .as(refused.message())
                                    .isEqualTo(reason));
        }
    }
}
