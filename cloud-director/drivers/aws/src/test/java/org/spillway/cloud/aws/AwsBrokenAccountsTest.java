package org.spillway.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Site;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

/** Broken accounts: doctor says of each the one thing that is wrong and what to do about it, before anything is bought. */
final class AwsBrokenAccountsTest extends AwsCloudFixture {
    private static final Diagnostics.Needs NEEDS =
            new Diagnostics.Needs(Set.of("m7i.large"), "", Set.of(Market.ON_DEMAND, Market.SPOT));

    /** Types of the fixture that its image fits. */
    private static final String FITTING = "t3.*,m7i.*,p5.*";

    @AfterEach
    void mend() throws Exception {
        cloud.breakAccount();
    }

    private List<Finding> troubles(String region) {
        return open("broken", Map.of("types", FITTING, "region", region)).diagnostics().check(NEEDS).stream()
                .filter(finding -> finding.verdict() != Verdict.GOOD)
                .toList();
    }

    @Test
    void anAccountThatIsAsItShouldBeHasNoTrouble() {
        assertThat(troubles("us-east-1")).isEmpty();
        assertThat(troubles("eu-south-1")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            denied:RunInstances                    | BROKEN  | permission RunInstances | allow ec2:RunInstances
            denied-by-organization:RunInstances    | BROKEN  | permission RunInstances | service control policy
            denied:CreatePlacementGroup            | BROKEN  | permission CreatePlacementGroup | allow ec2:CreatePlacementGroup
            denied:DescribeCapacityReservations    | WARNING | reservations            | ec2:DescribeCapacityReservations
            denied:DescribeImages                  | BROKEN  | image                   | allow ec2:DescribeImages
            denied:GetServiceQuota                 | WARNING | quotas                  | servicequotas:GetServiceQuota
            gpu-quota                              | WARNING | quota L-417A185B        | --quota-code L-417A185B
            image-not-shared                       | BROKEN  | image                   | modify-image-attribute --image-id ami-00000000000000001
            image-architecture                     | BROKEN  | architecture            | imageArm64
            image-windows                          | BROKEN  | image                   | image of Linux
            image-large-disk                       | BROKEN  | image                   | diskGiB: 500
            no-route                               | WARNING | egress                  | NAT gateway
            subnet-full                            | BROKEN  | addresses               | a larger subnet
            expired-credentials                    | BROKEN  | credentials             | get new ones
            clock-skew                             | BROKEN  | clock                   | NTP
            region-not-enabled                     | BROKEN  | region                  | aws account enable-region --region-name eu-south-1
            """)
    void eachBrokenAccountHasOneTroubleAndItsRemedy(String kind, Verdict verdict, String check, String repair)
            throws Exception {
        cloud.breakAccount(kind);
        assertThat(troubles("eu-south-1")).singleElement().satisfies(finding -> {
            assertThat(finding.check()).isEqualTo(check);
            assertThat(finding.verdict()).as(finding.detail()).isEqualTo(verdict);
            assertThat(finding.repair()).contains(repair);
        });
    }

    /** Nothing is bought twice for it, and no restart is needed when they have been renewed. */
    @Test
    void keysThatExpireInTheMiddleAreRefusedAndGoOnWhenTheyAreGood() throws Exception {
        Site site = open("middle", Map.of("types", FITTING));
        assertThat(site.compute().list()).isEmpty();
        cloud.breakAccount("expired-credentials");
        assertThatThrownBy(() -> site.compute().list())
                .isInstanceOfSatisfying(
                        CloudException.class,
                        failed -> assertThat(failed.reason()).isEqualTo(LaunchOutcome.Reason.CREDENTIALS));
        assertThat(site.compute()
                        .launch(request("middle", "i1", "m7i.large", 1))
                        .outcome())
                .isInstanceOfSatisfying(
                        LaunchOutcome.Refused.class,
                        no -> assertThat(no.reason()).isEqualTo(LaunchOutcome.Reason.CREDENTIALS));
        cloud.breakAccount();
        assertThat(site.compute().list()).as("nothing was bought").isEmpty();
    }

    /** A dry run of a launch finds what is wrong with the profile that each machine is to get. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            no-pass-role        | instanceProfile         | not allowed | allow iam:PassRole
            no-pass-role        | directorInstanceProfile | not allowed | allow iam:PassRole
            no-instance-profile | instanceProfile         | Invalid IAM Instance Profile name | correct what it names
            """)
    void aProfileThatMachinesCannotGetIsTold(String kind, String option, String detail, String repair)
            throws Exception {
        cloud.breakAccount(kind);
        assertThat(troubles("us-east-1")).isEmpty();
        var site = open("profiled", Map.of("types", FITTING, option, "burst"));
        assertThat(site.diagnostics().check(NEEDS))
                .filteredOn(finding -> finding.verdict() != Verdict.GOOD)
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.check()).isEqualTo("permission RunInstances");
                    assertThat(finding.verdict()).isEqualTo(Verdict.BROKEN);
                    assertThat(finding.detail()).contains(detail);
                    assertThat(finding.repair()).contains(repair);
                });
    }

    /** Each market has quotas of its own. */
    @Test
    void spotHasAQuotaOfEachGroupOfFamilies() throws Exception {
        cloud.breakAccount("spot-quota");
        assertThat(troubles("us-east-1"))
                .extracting(Finding::check)
                .containsExactly("quota L-34B43A08", "quota L-C4BD4855");
        assertThat(troubles("us-east-1"))
                .allSatisfy(finding ->
                        assertThat(finding.detail()).contains("Spot Instance Requests: 0 of 0 vCPUs are used"));
    }

    /** The quota of a type that is needed is no warning; it says what is used. */
    @Test
    void aQuotaIsToldInNumbers() throws Exception {
        var site = open("counted", Map.of("types", FITTING));
        assertThat(site.compute()
                        .launch(request("counted", "q-1", "m7i.large", 3))
                        .outcome())
                .isEqualTo(new LaunchOutcome.Launched(3));
        assertThat(site.diagnostics().check(NEEDS))
                .filteredOn(finding -> finding.check().equals("quota L-1216C47A"))
                .singleElement()
                .satisfies(finding -> assertThat(finding.detail())
                        .isEqualTo("Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances: 6 of 100000 vCPUs"
                                + " are used; one m7i.large (on-demand) takes 2"));
        site.compute()
                .terminate(site.compute().list().stream().map(each -> each.id()).toList());
        cloud.breakAccount("gpu-quota");
        assertThat(site.diagnostics().check(new Diagnostics.Needs(Set.of("p5.48xlarge"), "")))
                .filteredOn(finding -> finding.verdict() == Verdict.BROKEN)
                .singleElement()
                .satisfies(finding -> assertThat(finding.check()).isEqualTo("quota L-417A185B"));
    }

    /** EC2's own answer to a launch is then what the driver takes it for. */
    @ParameterizedTest
    @CsvSource({
        "gpu-quota, p5.48xlarge, ON_DEMAND, QUOTA",
        "spot-quota, m7i.large, SPOT, QUOTA",
        "image-not-shared, m7i.large, ON_DEMAND, INVALID",
        "subnet-full, m7i.large, ON_DEMAND, QUOTA",
        "denied-by-organization:RunInstances, m7i.large, ON_DEMAND, CREDENTIALS"
    })
    void aLaunchIsRefusedForTheSameReason(String kind, String type, Market market, LaunchOutcome.Reason reason)
            throws Exception {
        cloud.breakAccount(kind);
        var request = LaunchRequest.of("r-1", 1, new OfferingId("refused", ZONE, type, market), 1);
        assertThat(open("refused", Map.of()).compute().launch(request).outcome())
                .isInstanceOfSatisfying(
                        LaunchOutcome.Refused.class,
                        refused -> assertThat(refused.reason())
                                .as(refused.message())
                                .isEqualTo(reason));
    }

    /** Finding C7: a policy without that right ended all offerings. */
    @Test
    void withoutTheRightToSeeReservationsTheRestIsOffered() throws Exception {
        cloud.breakAccount("denied:DescribeCapacityReservations");
        assertThat(open("offers", Map.of()).compute().offerings())
                .isNotEmpty()
                .allSatisfy(offering -> assertThat(offering.quotaFamily()).startsWith("L-"));
    }
}
