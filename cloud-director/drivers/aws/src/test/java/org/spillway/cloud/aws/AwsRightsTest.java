package org.spillway.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Site;
import org.spillway.policy.Market;
import software.amazon.awssdk.services.ec2.model.IpPermission;
import software.amazon.awssdk.services.ec2.model.IpRange;

/** Accounts whose policy lacks a right, and ranges that are configured no more. */
final class AwsRightsTest extends AwsCloudFixture {
    private static void deny(String form) throws Exception {
        cloud.fault(Map.of("kind", "answer", "form", form, "type", "DescribeCapacityReservations", "count", 100));
    }

    /** Finding C7: a policy without that right ended all offerings. */
    @Test
    void withoutTheRightToSeeReservationsOnlyTheseAreNotOffered() throws Exception {
        Site site = open("rights", Map.of());
        deny("denied");
        assertThat(site.compute().offerings())
                .isNotEmpty()
                .noneMatch(each -> each.id().market() == Market.RESERVED);
        assertThat(site.diagnostics().check(Diagnostics.Needs.NONE))
                .filteredOn(finding -> finding.check().equals("reservations"))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.verdict()).isEqualTo(Diagnostics.Verdict.WARNING);
                    assertThat(finding.detail()).contains("UnauthorizedOperation");
                    assertThat(finding.repair()).contains("ec2:DescribeCapacityReservations");
                });
    }

    /** Finding C4: arm64 types were launched with an x86 image. */
    @Test
    void aTypeOfAnotherArchitectureThanItsImageIsNotOffered() throws Exception {
        Site plain = open("x86only", Map.of());
        assertThat(plain.compute().offerings())
                .isNotEmpty()
                .noneMatch(each -> each.features().contains("arch:arm64"));
        assertThat(plain.diagnostics().check(Diagnostics.Needs.NONE))
                .filteredOn(finding -> finding.check().equals("architecture"))
                .singleElement()
                .satisfies(finding -> assertThat(finding.detail()).contains("c7g.large"));
        assertThat(open("both", Map.of("imageArm64", "ami-00000000000000002"))
                        .compute()
                        .offerings())
                .anyMatch(each -> each.features().contains("arch:arm64"));
    }

    /** Findings C7 and C8: {@code 500 : null}. */
    @Test
    void anAnswerWithoutABodyIsToldInWords() throws Exception {
        Site site = open("silent", Map.of());
        deny("nothing-500");
        assertThat(site.diagnostics().check(Diagnostics.Needs.NONE))
                .extracting(Diagnostics.Finding::detail)
                .noneMatch(detail -> detail.contains("null"))
                .anyMatch(detail -> detail.startsWith("500: "));
    }

    /** Finding C8: a changed adminCidr left the old rule open. */
    @Test
    void aRangeThatIsConfiguredNoMoreIsLetInNoMore() throws Exception {
        for (String range : List.of("192.0.2.1/32", "198.51.100.0/24")) {
            Map<String, String> options = AwsDriverContractTest.options(cloud);
            options.put("adminCidr", range);
            try (Site site =
                    new AwsDriver().open(org.spillway.cloud.SiteSettings.of("c", "moving", options, cloud.state()))) {
                site.network().orElseThrow().create();
            }
        }
        assertThat(person.ec2().describeSecurityGroups().securityGroups().stream()
                        .filter(group -> group.tags().stream()
                                .anyMatch(tag -> tag.value().equals("moving")))
                        .filter(group -> group.groupName().contains("directors"))
                        .flatMap(group -> group.ipPermissions().stream())
                        .map(IpPermission::ipRanges)
                        .flatMap(List::stream)
                        .map(IpRange::cidrIp))
                .containsExactly("198.51.100.0/24");
    }
}
