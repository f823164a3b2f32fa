package org.spillway.cloud.aws;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.spillway.cloud.Billable;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Inventory;
import org.spillway.cloud.SiteSettings;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Money;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.ec2.model.DescribePlacementGroupsRequest;
import software.amazon.awssdk.services.ec2.model.DescribeTagsRequest;
import software.amazon.awssdk.services.ec2.model.Filter;

/**
 * Everything of this site that is or may come on the bill. EC2 can tag all of it when it is made; what bears no tag is
 * shown only where it stands in a network of this site.
 */
final class AwsInventory implements Inventory {
    private final SiteSettings site;
    private final AwsClients clients;
    private final AwsCompute compute;
    private final AwsListing listing;
    private final AwsFees fees;

    AwsInventory(SiteSettings site, AwsClients clients, AwsCompute compute, AwsListing listing, AwsFees fees) {
        this.site = site;
        this.clients = clients;
        this.compute = compute;
        this.listing = listing;
        this.fees = fees;
    }

    @Override
    public List<Billable> all() throws CloudException {
        try {
            List<Filter> cluster = List.of(AwsTags.filter("tag:" + Instance.TAG_CLUSTER, site.cluster()));
            List<Billable> all = new ArrayList<>();
            List<Filter> live = new ArrayList<>(cluster);
            live.add(AwsTags.filter("instance-state-name", "pending", "running", "stopping", "stopped"));
            for (var each : listing.describe(live)) {
                Instance instance = listing.instance(each);
                if (instance.state().isLive()) {
                    Money price = instance.state() == Instance.State.STOPPED
                            ? Money.ZERO
                            : fees.instance(instance.offering());
                    all.add(Billable.tagged("instance", instance.id(), price, instance.tags()));
                }
            }
            AwsNetworkParts network = AwsNetworkParts.find(clients.ec2(), cluster);
            all.addAll(network.billables(fees));
            AwsStock stock = new AwsStock(clients.ec2(), fees);
            all.addAll(stock.tagged(cluster));
            all.removeIf(thing -> !isOurs(thing.tags()));
            Set<String> known = new HashSet<>();
            all.forEach(thing -> known.add(thing.id()));
            List<String> networks = all.stream()
                    .filter(thing -> thing.kind().equals("network"))
                    .map(Billable::id)
                    .toList();
            stock.untaggedInterfaces(networks).stream()
                    .filter(thing -> !known.contains(thing.id()))
                    .forEach(all::add);
            return all;
        } catch (SdkException failed) {
            throw AwsErrors.ofCall("inventory", failed);
        } catch (IllegalArgumentException unreadable) {
            throw new CloudException(Reason.THROTTLED, "the listing cannot be read: " + unreadable.getMessage());
        }
    }

    /** Things that bear the cluster's tag and no site's are everybody's to see. */
    private boolean isOurs(Map<String, String> tags) {
        return site.cluster().equals(tags.get(Instance.TAG_CLUSTER))
                && site.site().equals(tags.getOrDefault(Instance.TAG_SITE, site.site()));
    }

    @Override
    public void delete(Billable thing) throws CloudException {
        try {
            if (thing.evidence() == Billable.Evidence.TAG && isAnothers(thing)) {
                throw new CloudException(
                        Reason.INVALID, thing.kind() + " " + thing.id() + " bears tags that are not of this site");
            }
            if (thing.kind().equals("instance")) {
                // The instance's marks were looked at here: one that has lost the site's is on this bill, and not in
                // this site's list.
                compute.end(thing.id());
            } else if (!new AwsStock(clients.ec2(), fees).delete(thing)) {
                throw new CloudException(Reason.INVALID, "cannot delete a " + thing.kind() + ": " + thing.id());
            }
        } catch (SdkException failed) {
            if (!AwsErrors.isGone(failed)) {
                throw AwsErrors.ofCall("delete " + thing.kind() + " " + thing.id(), failed);
            }
        }
    }

    /** Asked again before anything is deleted: an id in a bill may be old. */
    private boolean isAnothers(Billable thing) {
        Map<String, String> now = new HashMap<>();
        if (thing.kind().equals("placement-group")) {
            clients.ec2()
                    .describePlacementGroups(DescribePlacementGroupsRequest.builder()
                            .groupNames(thing.id())
                            .build())
                    .placementGroups()
                    .forEach(group -> now.putAll(AwsTags.map(group.tags())));
        } else {
            clients.ec2()
                    .describeTags(DescribeTagsRequest.builder()
                            .filters(AwsTags.filter("resource-id", thing.id()))
                            .build())
                    .tags()
                    .forEach(tag -> now.put(tag.key(), String.valueOf(tag.value())));
        }
        return !now.isEmpty() && !isOurs(now);
    }
}
