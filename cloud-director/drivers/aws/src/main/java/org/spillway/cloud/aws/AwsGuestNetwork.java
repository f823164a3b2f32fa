package org.spillway.cloud.aws;

import java.util.ArrayList;
import java.util.List;
import org.spillway.cloud.Billable;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Network;
import org.spillway.policy.LaunchOutcome.Reason;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.ec2.model.DescribeSubnetsRequest;
import software.amazon.awssdk.services.ec2.model.Filter;
import software.amazon.awssdk.services.ec2.model.Subnet;

/**
 * A cluster on demand's own part of its parent's network: one group whose members may speak with each other, and with
 * nobody else inside. Subnets, ways out and the group that admits SSH are the parent's. Where the site names a network
 * of its own, that one's group is everybody's, and nothing is made.
 */
final class AwsGuestNetwork implements Network {
    private final String cluster;
    private final AwsSettings settings;
    private final AwsClients clients;
    private final AwsTags tags;
    private final AwsPlaces places;
    private final AwsFees fees;

    AwsGuestNetwork(
            String cluster, AwsSettings settings, AwsClients clients, AwsTags tags, AwsPlaces places, AwsFees fees) {
        this.cluster = cluster;
        this.settings = settings;
        this.clients = clients;
        this.tags = tags;
        this.places = places;
        this.fees = fees;
    }

    private AwsNetworkParts find() {
        List<Filter> filters = new ArrayList<>(tags.filters());
        filters.add(AwsTags.filter("tag:" + Instance.TAG_ROLE, "NETWORK"));
        return AwsNetworkParts.groupsOnly(clients.ec2(), filters);
    }

    @Override
    public List<Billable> create() throws CloudException {
        if (!settings.subnets().isEmpty()) {
            return List.of();
        }
        try {
            new AwsSecurityGroups(clients.ec2(), tags)
                    .peers(
                            find(),
                            vpc(),
                            "spillway-" + AwsPlaces.PEERS + "-" + cluster,
                            "Spillway: instances of cluster " + cluster);
            places.forget();
            return find().billables(fees);
        } catch (SdkException failed) {
            throw AwsErrors.ofCall("the group of cluster " + cluster, failed);
        }
    }

    private String vpc() throws CloudException {
        return clients
                .ec2()
                .describeSubnets(DescribeSubnetsRequest.builder()
                        .filters(tags.networkFilters())
                        .build())
                .subnets()
                .stream()
                .map(Subnet::vpcId)
                .sorted()
                .findFirst()
                .orElseThrow(() -> new CloudException(
                        Reason.INVALID, "the site has no network: name subnets and securityGroup, or run site create"));
    }

    @Override
    public void delete() throws CloudException {
        try {
            new AwsNetworkRemover(clients.ec2()).remove(find());
            places.forget();
        } catch (SdkException failed) {
            throw AwsErrors.ofCall("the group of cluster " + cluster, failed);
        }
    }
}
