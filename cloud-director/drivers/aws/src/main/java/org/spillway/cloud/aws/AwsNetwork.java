package org.spillway.cloud.aws;

import java.util.ArrayList;
import java.util.List;
import org.spillway.cloud.Billable;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Network;
import org.spillway.cloud.SiteSettings;
import org.spillway.policy.LaunchOutcome.Reason;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.ec2.model.Filter;
import software.amazon.awssdk.services.ec2.model.InstanceStateName;

/**
 * The network of a site: a VPC; in each zone a private subnet for nodes and a public one for directors; an internet gateway;
 * one NAT gateway with its address; a group whose members may all speak with each other, one that admits SSH to directors
 * from {@code adminCidr}; a key pair if one is asked for.
 */
final class AwsNetwork implements Network {
    private final SiteSettings site;
    private final AwsSettings settings;
    private final AwsClients clients;
    private final AwsTags tags;
    private final AwsPlaces places;
    private final AwsListing listing;
    private final AwsFees fees;

    AwsNetwork(
            SiteSettings site,
            AwsSettings settings,
            AwsClients clients,
            AwsTags tags,
            AwsPlaces places,
            AwsListing listing,
            AwsFees fees) {
        this.site = site;
        this.settings = settings;
        this.clients = clients;
        this.tags = tags;
        this.places = places;
        this.listing = listing;
        this.fees = fees;
    }

    private AwsNetworkParts find() {
        List<Filter> filters = new ArrayList<>(tags.filters());
        filters.add(AwsTags.filter("tag:" + Instance.TAG_ROLE, "NETWORK"));
        return AwsNetworkParts.find(clients.ec2(), filters);
    }

    @Override
    public List<Billable> create() throws CloudException {
        if (!settings.subnets().isEmpty()) {
            throw new CloudException(
                    Reason.INVALID,
                    "site " + site.site() + " uses the subnets of its options; remove subnets and securityGroup to let"
                            + " Spillway make a network");
        }
        if (settings.adminCidr().isEmpty()) {
            throw new CloudException(
                    Reason.INVALID, "adminCidr is missing: from which addresses does the head reach directors?");
        }
        try {
            new AwsNetworkMaker(settings, clients.ec2(), tags).make(find());
            places.forget();
            return find().billables(fees);
        } catch (SdkException failed) {
            throw AwsErrors.ofCall("site create", failed);
        }
    }

    @Override
    public void delete() throws CloudException {
        try {
            long live = listing.all().stream()
                    .filter(each -> each.state().name() != InstanceStateName.TERMINATED)
                    .count();
            AwsNetworkParts parts = find();
            if (live > 0 && !parts.isEmpty()) {
                throw new CloudException(
                        Reason.INVALID, "site " + site.site() + " still has " + live + " instances; end them first");
            }
            new AwsNetworkRemover(clients.ec2()).remove(parts);
            places.forget();
        } catch (SdkException failed) {
            throw AwsErrors.ofCall("site delete", failed);
        }
    }
}
