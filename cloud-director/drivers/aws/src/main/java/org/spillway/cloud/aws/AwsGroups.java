package org.spillway.cloud.aws;

import org.spillway.cloud.SiteSettings;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.ec2.model.CreatePlacementGroupRequest;
import software.amazon.awssdk.services.ec2.model.DeletePlacementGroupRequest;
import software.amazon.awssdk.services.ec2.model.PlacementStrategy;
import software.amazon.awssdk.services.ec2.model.ResourceType;

/** Cluster placement groups of this site, one for each fabric group. */
final class AwsGroups {
    private static final int SCOPE_DIGITS = 12;
    private final AwsClients clients;
    private final AwsTags tags;
    private final String prefix;

    AwsGroups(SiteSettings site, AwsClients clients, AwsTags tags) {
        this.clients = clients;
        this.tags = tags;
        // Names are of the account and region.
        this.prefix = "spillway-"
                + AwsLaunch.hash(site.cluster() + "\n" + site.site()).substring(0, SCOPE_DIGITS) + "-";
    }

    /** EC2's name of it. */
    String name(String fabricGroup) {
        return prefix + fabricGroup;
    }

    /** Makes it unless it is there. */
    void ensure(String name) {
        try {
            clients.ec2()
                    .createPlacementGroup(CreatePlacementGroupRequest.builder()
                            .groupName(name)
                            .strategy(PlacementStrategy.CLUSTER)
                            .tagSpecifications(AwsTags.specification(ResourceType.PLACEMENT_GROUP, tags.all()))
                            .build());
        } catch (SdkException failed) {
            if (!AwsErrors.code(failed).equals("InvalidPlacementGroup.Duplicate")) {
                throw failed;
            }
        }
    }

    boolean isOurs(String name) {
        return name.startsWith(prefix);
    }

    /** @return whether it is gone; not while an instance stands in it */
    boolean delete(String name) {
        try {
            clients.ec2()
                    .deletePlacementGroup(DeletePlacementGroupRequest.builder()
                            .groupName(name)
                            .build());
            return true;
        } catch (SdkException failed) {
            if (AwsErrors.isGone(failed)) {
                return true;
            }
            if (AwsErrors.code(failed).equals("InvalidPlacementGroup.InUse")) {
                return false;
            }
            throw failed;
        }
    }
}
