package org.spillway.cloud.aws;

import java.util.Optional;
import org.spillway.cloud.Diagnostics.Finding;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.ec2.Ec2Client;
import software.amazon.awssdk.services.ec2.model.DescribeRegionsRequest;

/**
 * Whether keys are refused because the account has not enabled their region: there nobody knows them, and the region that every
 * account has says so ("Enable or disable AWS Regions in your account"; DescribeRegions, optInStatus).
 */
final class AwsRegionCheck {
    private static final String AWAY = "not-opted-in";

    private AwsRegionCheck() {}

    /** Empty where it is enabled, and where nobody can say. */
    static Optional<Finding> of(AwsSettings settings, AwsClients clients) {
        String region = settings.region();
        if (region.equals(AwsClients.HOME.id())) {
            return Optional.empty();
        }
        try (Ec2Client home = clients.ec2AtHome()) {
            boolean away = home
                    .describeRegions(DescribeRegionsRequest.builder()
                            .allRegions(true)
                            .regionNames(region)
                            .build())
                    .regions()
                    .stream()
                    .anyMatch(each -> AWAY.equals(each.optInStatus()));
            return away
                    ? Optional.of(AwsDiagnostics.broken(
                            "region",
                            region + " is not enabled for this account, so that its keys are not known there",
                            "aws account enable-region --region-name " + region
                                    + " (it takes minutes to hours), or choose another region"))
                    : Optional.empty();
        } catch (SdkException unsaid) {
            return Optional.empty();
        }
    }
}
