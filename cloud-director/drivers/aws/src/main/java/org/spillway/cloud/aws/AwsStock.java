package org.spillway.cloud.aws;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.spillway.cloud.Billable;
import org.spillway.policy.Money;
import software.amazon.awssdk.services.ec2.Ec2Client;
import software.amazon.awssdk.services.ec2.model.CancelCapacityReservationRequest;
import software.amazon.awssdk.services.ec2.model.CapacityReservationState;
import software.amazon.awssdk.services.ec2.model.DeleteLaunchTemplateRequest;
import software.amazon.awssdk.services.ec2.model.DeleteNetworkInterfaceRequest;
import software.amazon.awssdk.services.ec2.model.DeletePlacementGroupRequest;
import software.amazon.awssdk.services.ec2.model.DeleteSnapshotRequest;
import software.amazon.awssdk.services.ec2.model.DeleteVolumeRequest;
import software.amazon.awssdk.services.ec2.model.DeregisterImageRequest;
import software.amazon.awssdk.services.ec2.model.DescribeCapacityReservationsRequest;
import software.amazon.awssdk.services.ec2.model.DescribeImagesRequest;
import software.amazon.awssdk.services.ec2.model.DescribeLaunchTemplatesRequest;
import software.amazon.awssdk.services.ec2.model.DescribeNetworkInterfacesRequest;
import software.amazon.awssdk.services.ec2.model.DescribePlacementGroupsRequest;
import software.amazon.awssdk.services.ec2.model.DescribeSnapshotsRequest;
import software.amazon.awssdk.services.ec2.model.DescribeVolumesRequest;
import software.amazon.awssdk.services.ec2.model.Filter;
import software.amazon.awssdk.services.ec2.model.NetworkInterface;
import software.amazon.awssdk.services.ec2.model.NetworkInterfaceType;
import software.amazon.awssdk.services.ec2.model.Tag;

/** Disks, snapshots, images, interfaces, groups, templates and reservations: found, and deleted by kind. */
final class AwsStock {
    private static final int PAGE = 500;
    private static final int SMALL_PAGE = 200;
    private final Ec2Client ec2;
    private final AwsFees fees;

    AwsStock(Ec2Client ec2, AwsFees fees) {
        this.ec2 = ec2;
        this.fees = fees;
    }

    List<Billable> tagged(List<Filter> filters) {
        List<Billable> all = new ArrayList<>();
        volumes(filters, all);
        snapshots(filters, all);
        images(filters, all);
        interfaces(filters)
                .forEach(each -> all.add(free("interface", each.networkInterfaceId(), each.tagSet(), owner(each))));
        ec2.describePlacementGroups(DescribePlacementGroupsRequest.builder()
                        .filters(filters)
                        .build())
                .placementGroups()
                .forEach(each -> all.add(free("placement-group", each.groupName(), each.tags(), "")));
        templates(filters, all);
        reservations(filters, all);
        return all;
    }

    private static Billable free(String kind, String id, List<Tag> tags, String instance) {
        return new Billable(kind, id, Money.ZERO, AwsTags.map(tags), instance, Billable.Evidence.TAG);
    }

    private void volumes(List<Filter> filters, List<Billable> all) {
        DescribeVolumesRequest request = DescribeVolumesRequest.builder()
                .filters(filters)
                .maxResults(PAGE)
                .build();
        AwsPages.all(
                        "DescribeVolumes",
                        token -> ec2.describeVolumes(
                                request.toBuilder().nextToken(token).build()),
                        answer -> answer.volumes(),
                        answer -> answer.nextToken())
                .forEach(each -> all.add(new Billable(
                        "disk",
                        each.volumeId(),
                        fees.disk(each.size() == null ? 0 : each.size()),
                        AwsTags.map(each.tags()),
                        each.attachments().stream()
                                .filter(attachment -> Boolean.TRUE.equals(attachment.deleteOnTermination())
                                        && attachment.instanceId() != null)
                                .map(attachment -> attachment.instanceId())
                                .findFirst()
                                .orElse(""),
                        Billable.Evidence.TAG)));
    }

    private void snapshots(List<Filter> filters, List<Billable> all) {
        DescribeSnapshotsRequest request = DescribeSnapshotsRequest.builder()
                .ownerIds("self")
                .filters(filters)
                .maxResults(PAGE)
                .build();
        AwsPages.all(
                        "DescribeSnapshots",
                        token -> ec2.describeSnapshots(
                                request.toBuilder().nextToken(token).build()),
                        answer -> answer.snapshots(),
                        answer -> answer.nextToken())
                .forEach(each -> all.add(Billable.tagged(
                        "snapshot",
                        each.snapshotId(),
                        fees.snapshot(each.volumeSize() == null ? 0 : each.volumeSize()),
                        AwsTags.map(each.tags()))));
    }

    private void images(List<Filter> filters, List<Billable> all) {
        DescribeImagesRequest request = DescribeImagesRequest.builder()
                .owners("self")
                .filters(filters)
                .maxResults(PAGE)
                .build();
        AwsPages.all(
                        "DescribeImages",
                        token -> ec2.describeImages(
                                request.toBuilder().nextToken(token).build()),
                        answer -> answer.images(),
                        answer -> answer.nextToken())
                .forEach(each -> all.add(free("image", each.imageId(), each.tags(), "")));
    }

    private List<NetworkInterface> interfaces(List<Filter> filters) {
        DescribeNetworkInterfacesRequest request = DescribeNetworkInterfacesRequest.builder()
                .filters(filters)
                .maxResults(PAGE)
                .build();
        return AwsPages.all(
                "DescribeNetworkInterfaces",
                token -> ec2.describeNetworkInterfaces(
                        request.toBuilder().nextToken(token).build()),
                answer -> answer.networkInterfaces(),
                answer -> answer.nextToken());
    }

    private static String owner(NetworkInterface each) {
        return each.attachment() == null || each.attachment().instanceId() == null
                ? ""
                : each.attachment().instanceId();
    }

    /** In networks of ours, without tags, and neither an instance's nor a gateway's. */
    List<Billable> untaggedInterfaces(List<String> networks) {
        List<Billable> all = new ArrayList<>();
        for (String network : networks) {
            for (NetworkInterface each : interfaces(List.of(AwsTags.filter("vpc-id", network)))) {
                if (owner(each).isEmpty() && each.interfaceType() != NetworkInterfaceType.NAT_GATEWAY) {
                    all.add(new Billable(
                            "interface",
                            each.networkInterfaceId(),
                            Money.ZERO,
                            AwsTags.map(each.tagSet()),
                            "",
                            Billable.Evidence.ACCOUNT));
                }
            }
        }
        return all;
    }

    private void templates(List<Filter> filters, List<Billable> all) {
        DescribeLaunchTemplatesRequest request = DescribeLaunchTemplatesRequest.builder()
                .filters(filters)
                .maxResults(SMALL_PAGE)
                .build();
        AwsPages.all(
                        "DescribeLaunchTemplates",
                        token -> ec2.describeLaunchTemplates(
                                request.toBuilder().nextToken(token).build()),
                        answer -> answer.launchTemplates(),
                        answer -> answer.nextToken())
                .forEach(each -> all.add(free("launch-template", each.launchTemplateId(), each.tags(), "")));
    }

    /** Reserved capacity is paid for, whether it is used or not; its price is on the bill of what runs in it. */
    private void reservations(List<Filter> filters, List<Billable> all) {
        DescribeCapacityReservationsRequest request = DescribeCapacityReservationsRequest.builder()
                .filters(filters)
                .maxResults(SMALL_PAGE)
                .build();
        AwsPages.all(
                        "DescribeCapacityReservations",
                        token -> ec2.describeCapacityReservations(
                                request.toBuilder().nextToken(token).build()),
                        answer -> answer.capacityReservations(),
                        answer -> answer.nextToken())
                .stream()
                .filter(each -> each.state() == CapacityReservationState.ACTIVE
                        || each.state() == CapacityReservationState.PENDING)
                .forEach(each -> all.add(Billable.tagged(
                        "reservation",
                        each.capacityReservationId(),
                        unused(each.availabilityZone(), each.instanceType(), each.availableInstanceCount()),
                        AwsTags.map(each.tags()))));
    }

    private Money unused(String zone, String type, Integer count) {
        return count == null ? Money.ZERO : fees.onDemand(zone, type).times(count);
    }

    /** @return false for a kind that there is not */
    boolean delete(Billable thing) {
        String id = thing.id();
        AwsNetworkRemover network = new AwsNetworkRemover(ec2);
        Map<String, Runnable> byKind = Map.ofEntries(
                Map.entry(
                        "disk",
                        () -> ec2.deleteVolume(
                                DeleteVolumeRequest.builder().volumeId(id).build())),
                Map.entry(
                        "snapshot",
                        () -> ec2.deleteSnapshot(
                                DeleteSnapshotRequest.builder().snapshotId(id).build())),
                Map.entry(
                        "image",
                        () -> ec2.deregisterImage(
                                DeregisterImageRequest.builder().imageId(id).build())),
                Map.entry(
                        "interface",
                        () -> ec2.deleteNetworkInterface(DeleteNetworkInterfaceRequest.builder()
                                .networkInterfaceId(id)
                                .build())),
                Map.entry(
                        "placement-group",
                        () -> ec2.deletePlacementGroup(DeletePlacementGroupRequest.builder()
                                .groupName(id)
                                .build())),
                Map.entry(
                        "launch-template",
                        () -> ec2.deleteLaunchTemplate(DeleteLaunchTemplateRequest.builder()
                                .launchTemplateId(id)
                                .build())),
                Map.entry(
                        "reservation",
                        () -> ec2.cancelCapacityReservation(CancelCapacityReservationRequest.builder()
                                .capacityReservationId(id)
                                .build())),
                Map.entry("gateway", () -> network.gateway(id)),
                Map.entry("address", () -> network.address(id)),
                Map.entry("route-table", () -> network.table(id)),
                Map.entry("subnet", () -> network.subnet(id)),
                Map.entry("internet-gateway", () -> network.internet(id)),
                Map.entry("group", () -> network.group(id)),
                Map.entry("network", () -> network.network(id)),
                Map.entry("key", () -> network.key(id)),
                Map.entry("endpoint", () -> network.endpoint(id)));
        Runnable deletion = byKind.get(thing.kind());
        if (deletion == null) {
            return false;
        }
        deletion.run();
        return true;
    }
}
