package org.spillway.localcloud.ec2;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.spillway.localcloud.CloudBehind;

/** Volumes, snapshots and network interfaces. */
final class Disks {
    private static final Pages.Kind VOLUMES = new Pages.Kind(
            "volumeSet",
            "VolumeId",
            "",
            "InvalidVolume.NotFound",
            Set.of("volume-id", "status", "availability-zone", "attachment.instance-id"));
    private static final Pages.Kind SNAPSHOTS = new Pages.Kind(
            "snapshotSet", "SnapshotId", "", "InvalidSnapshot.NotFound", Set.of("snapshot-id", "volume-id", "status"));
    private static final Pages.Kind INTERFACES = new Pages.Kind(
            "networkInterfaceSet",
            "NetworkInterfaceId",
            "",
            "InvalidNetworkInterfaceID.NotFound",
            Set.of(
                    "network-interface-id",
                    "vpc-id",
                    "subnet-id",
                    "group-id",
                    "status",
                    "attachment.instance-id",
                    "interface-type"));
    private final CloudBehind cloud;
    private final Things things;
    private final Belongings belongings;

    Disks(CloudBehind cloud, Things things, Belongings belongings) {
        this.cloud = cloud;
        this.things = things;
        this.belongings = belongings;
    }

    void addTo(Map<String, Calls.Call> calls) {
        calls.put("CreateVolume", this::createVolume);
        calls.put(
                "DescribeVolumes",
                (query, out, context) ->
                        Pages.write(query, out, VOLUMES, belongings.volumes(), each -> volume(out, each)));
        calls.put("DeleteVolume", this::deleteVolume);
        calls.put("CreateSnapshot", this::createSnapshot);
        calls.put(
                "DescribeSnapshots",
                (query, out, context) ->
                        Pages.write(query, out, SNAPSHOTS, things.of("snapshot"), each -> snapshot(out, each)));
        calls.put("DeleteSnapshot", this::deleteSnapshot);
        calls.put("CreateNetworkInterface", this::createInterface);
        calls.put(
                "DescribeNetworkInterfaces",
                (query, out, context) ->
                        Pages.write(query, out, INTERFACES, belongings.interfaces(), each -> networkCard(out, each)));
        calls.put("DeleteNetworkInterface", this::deleteInterface);
    }

    private void createVolume(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        String id = Things.newId("vol");
        Map<String, String> facts = new HashMap<>();
        facts.put("volume-id", id);
        facts.put("availability-zone", query.required("AvailabilityZone"));
        facts.put("status", "available");
        facts.put("size", query.required("Size"));
        facts.put("volume-type", query.get("VolumeType").isEmpty() ? "gp3" : query.get("VolumeType"));
        facts.put("encrypted", query.isTrue("Encrypted") ? "true" : "false");
        volume(out, things.put(new Thing(id, "volume", facts, query.tagsFor("volume"))));
        context.note(id);
    }

    private static void volume(Xml out, Thing volume) {
        out.leaf("volumeId", volume.id())
                .leaf("size", volume.fact("size"))
                .leaf("availabilityZone", volume.fact("availability-zone"))
                .leaf("status", volume.fact("status"))
                .leaf("volumeType", volume.fact("volume-type"))
                .leaf("iops", volume.fact("iops"))
                .leaf("throughput", volume.fact("throughput"))
                .leaf("kmsKeyId", volume.fact("kms-key-id"))
                .leaf("encrypted", volume.fact("encrypted"));
        String instance = volume.fact("attachment.instance-id");
        out.items(
                "attachmentSet",
                instance.isEmpty() ? List.of() : List.of(instance),
                id -> out.leaf("volumeId", volume.id())
                        .leaf("instanceId", id)
                        .leaf("device", "/dev/xvda")
                        .leaf("status", "attached")
                        .leaf("deleteOnTermination", volume.fact("attachment.delete-on-termination")));
        out.tags(volume.tags());
    }

    private void deleteVolume(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        String id = query.required("VolumeId");
        Thing volume = find(belongings.volumes(), id, "InvalidVolume.NotFound");
        if (volume.fact("status").equals("in-use")) {
            throw new Ec2Error("VolumeInUse", "Volume " + id + " is currently attached");
        }
        remove(id, out, context);
    }

    private static Thing find(List<Thing> all, String id, String notFound) throws Ec2Error {
        return all.stream()
                .filter(thing -> thing.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new Ec2Error(notFound, "The ID '" + id + "' does not exist."));
    }

    private void remove(String id, Xml out, Calls.Context context) throws IOException {
        things.removeAll(List.of(id));
        out.leaf("return", true);
        context.note(id);
    }

    private void createSnapshot(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        Thing volume = find(belongings.volumes(), query.required("VolumeId"), "InvalidVolume.NotFound");
        String id = Things.newId("snap");
        Map<String, String> facts = Map.of(
                "snapshot-id",
                id,
                "volume-id",
                volume.id(),
                "status",
                "completed",
                "volume-size",
                volume.fact("size"),
                "start-time",
                cloud.now().toString());
        snapshot(out, things.put(new Thing(id, "snapshot", facts, query.tagsFor("snapshot"))));
        context.note(id);
    }

    private static void snapshot(Xml out, Thing snapshot) {
        out.leaf("snapshotId", snapshot.id())
                .leaf("volumeId", snapshot.fact("volume-id"))
                .leaf("status", snapshot.fact("status"))
                .leaf("startTime", snapshot.fact("start-time"))
                .leaf("ownerId", Ec2Front.ACCOUNT)
                .leaf("volumeSize", snapshot.fact("volume-size"))
                .tags(snapshot.tags());
    }

    private void deleteSnapshot(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        String id = query.required("SnapshotId");
        find(things.of("snapshot"), id, "InvalidSnapshot.NotFound");
        boolean used = things.of("image").stream()
                .anyMatch(image -> image.fact("snapshot-id").equals(id));
        if (used) {
            throw new Ec2Error("InvalidSnapshot.InUse", "The snapshot " + id + " is currently in use by an image");
        }
        remove(id, out, context);
    }

    private void createInterface(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        Thing subnet = find(things.of("subnet"), query.required("SubnetId"), "InvalidSubnetID.NotFound");
        String id = Things.newId("eni");
        Map<String, String> facts = Map.of(
                "network-interface-id",
                id,
                "subnet-id",
                subnet.id(),
                "vpc-id",
                subnet.fact("vpc-id"),
                "availability-zone",
                subnet.fact("availability-zone"),
                "group-id",
                String.join(",", query.list("SecurityGroupId")),
                "status",
                "available",
                "interface-type",
                "interface");
        Thing made = things.put(new Thing(id, "network-interface", facts, query.tagsFor("network-interface")));
        out.open("networkInterface");
        networkCard(out, made);
        out.close("networkInterface");
        context.note(id);
    }

    private static void networkCard(Xml out, Thing card) {
        out.leaf("networkInterfaceId", card.id())
                .leaf("subnetId", card.fact("subnet-id"))
                .leaf("vpcId", card.fact("vpc-id"))
                .leaf("availabilityZone", card.fact("availability-zone"))
                .leaf("description", card.fact("description"))
                .leaf("status", card.fact("status"))
                .leaf("interfaceType", card.fact("interface-type"))
                .leaf("privateIpAddress", card.fact("private-ip-address"));
        out.items("groupSet", card.facts("group-id"), group -> out.leaf("groupId", group));
        String instance = card.fact("attachment.instance-id");
        if (!instance.isEmpty()) {
            out.open("attachment")
                    .leaf("attachmentId", "eni-attach-" + card.id().substring(4))
                    .leaf("instanceId", instance)
                    .leaf("status", "attached")
                    .leaf("deleteOnTermination", true)
                    .close("attachment");
        }
        out.tags(card.tags());
    }

    private void deleteInterface(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        String id = query.required("NetworkInterfaceId");
        Thing card = find(belongings.interfaces(), id, "InvalidNetworkInterfaceID.NotFound");
        if (card.fact("status").equals("in-use")) {
            throw new Ec2Error("InvalidParameterValue", "Network interface '" + id + "' is currently in use.");
        }
        remove(id, out, context);
    }
}
