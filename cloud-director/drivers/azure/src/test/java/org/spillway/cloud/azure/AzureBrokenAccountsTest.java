package org.spillway.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
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
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

/** Broken subscriptions: doctor says of each the one thing that is wrong and what to do about it, before anything is bought. */
final class AzureBrokenAccountsTest {
    private static final Diagnostics.Needs NEEDS =
            new Diagnostics.Needs(Set.of("gpu"), "", Set.of(Market.ON_DEMAND, Market.SPOT));

    @TempDir
    private static Path directory;

    private static ArmCloud cloud;

    @BeforeAll
    static void startCloud() throws Exception {
        cloud = new ArmCloud(directory, """
                zones: [a]
                types:
                  - {name: small, cpus: 2, memoryGiB: 4, process: false, bootSeconds: 0}
                  - {name: gpu, cpus: 8, memoryGiB: 64, gpus: 2, gpuModel: h200, process: false, bootSeconds: 0}
                """);
        try (Site base = cloud.open("c", "s", cloud.options())) {
            base.network().orElseThrow().create();
        }
    }

    @AfterAll
    static void endCloud() throws Exception {
        cloud.close();
    }

    @AfterEach
    void mend() throws Exception {
        cloud.process().breakAccount();
    }

    private static List<Finding> troubles() throws Exception {
        try (Site site = cloud.open("c", "s", cloud.options())) {
            return site.diagnostics().check(NEEDS).stream()
                    .filter(finding -> finding.verdict() != Verdict.GOOD)
                    .toList();
        }
    }

    @Test
    void aSubscriptionThatIsAsItShouldBeHasNoTrouble() throws Exception {
        assertThat(troubles()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            denied:Microsoft.Network/publicIPAddresses/write       | BROKEN  | permissions | Microsoft.Network/publicIPAddresses/write
            denied:Microsoft.Compute/virtualMachines/delete        | BROKEN  | permissions | Microsoft.Compute/virtualMachines/delete
            denied:Microsoft.Authorization/locks/read              | WARNING | locks       | allow Microsoft.Authorization/locks/read
            denied:Microsoft.Resources/deployments/validate/action | WARNING | dry run     | deployments/validate/action
            denied:Microsoft.Compute/locations/usages/read         | WARNING | quotas      | Microsoft.Compute/locations/usages/read
            unregistered-compute  | BROKEN  | provider Microsoft.Compute      | az provider register --namespace Microsoft.Compute
            unregistered-network  | BROKEN  | provider Microsoft.Network      | az provider register --namespace Microsoft.Network
            locked-readonly       | BROKEN  | locks                           | az lock delete --ids /subscriptions/
            locked-delete         | BROKEN  | locks                           | az lock delete --ids /subscriptions/
            gpu-quota             | BROKEN  | quota standardNDSH200v5Family   | az quota update --resource-name standardNDSH200v5Family
            spot-quota            | WARNING | quota lowPriorityCores          | --resource-type lowPriority
            policy                | BROKEN  | dry run                         | az policy exemption create
            image-generation      | BROKEN  | image                           | generation V2
            image-architecture    | BROKEN  | image                           | of their architecture
            image-plan            | BROKEN  | image                           | set plan: Canonical/ubuntu-24_04-lts/server, after az vm image terms
            expired-secret        | BROKEN  | credentials                     | az ad app credential reset
            subscription-disabled | BROKEN  | subscription                    | reactivate it
            """)
    void eachBrokenSubscriptionHasOneTroubleAndItsRemedy(String kind, Verdict verdict, String check, String repair)
            throws Exception {
        cloud.process().breakAccount(kind);
        assertThat(troubles()).singleElement().satisfies(finding -> {
            assertThat(finding.check()).isEqualTo(check);
            assertThat(finding.verdict()).as(finding.detail()).isEqualTo(verdict);
            assertThat(finding.repair()).contains(repair);
        });
    }

    /** The resource manager's own answer to a launch is then what the driver takes it for. */
    @ParameterizedTest
    @CsvSource({
        "gpu-quota, ON_DEMAND, QUOTA, standardNDSH200v5Family",
        "spot-quota, SPOT, QUOTA, LowPriorityCores",
        "policy, ON_DEMAND, INVALID, RequestDisallowedByPolicy",
        "unregistered-compute, ON_DEMAND, CREDENTIALS, az provider register --namespace Microsoft.Compute",
        "locked-readonly, ON_DEMAND, CREDENTIALS, ScopeLocked",
        "subscription-disabled, ON_DEMAND, CREDENTIALS, ReadOnlyDisabledSubscription",
        "image-generation, ON_DEMAND, INVALID, Hypervisor Generation"
    })
    void aLaunchIsRefusedForTheSameReason(String kind, Market market, LaunchOutcome.Reason reason, String words)
            throws Exception {
        cloud.process().breakAccount(kind);
        try (Site site = cloud.open("c", "s", cloud.options())) {
            OfferingId offering = new OfferingId("s", "a", "gpu", market);
            assertThat(site.compute()
                            .launch(LaunchRequest.of("refused-" + kind, 1, offering, 1))
                            .outcome())
                    .isInstanceOfSatisfying(LaunchOutcome.Refused.class, refused -> {
                        assertThat(refused.reason()).as(refused.message()).isEqualTo(reason);
                        assertThat(refused.message()).contains(words);
                    });
        }
    }
}
