package org.spillway.localcloud.ec2;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.spillway.localcloud.CloudBehind;

/** Capacity reservations and images. */
final class Stock {
    private static final Pages.Kind RESERVATIONS = new Pages.Kind(
            "capacityReservationSet",
            "CapacityReservationId",
            "",
            "InvalidCapacityReservationId.NotFound",
            Set.of("state", "instance-type", "availability-zone"));
    private static final Pages.Kind IMAGES = new Pages.Kind(
            "imagesSet",
            "ImageId",
            "",
            "InvalidAMIID.NotFound",
            Set.of("image-id", "name", "architecture", "state", "owner-id", "root-device-type"));
    private final CloudBehind cloud;
    private final Things things;
    private final Belongings belongings;

    Stock(CloudBehind cloud, Things things, Belongings belongings) {
        this.cloud = cloud;
        this.things = things;
        this.belongings = belongings;
    }

    void addTo(Map<String, Calls.Call> calls) {
        new Templates(things).addTo(calls);
        calls.put("CreateCapacityReservation", this::createReservation);
        calls.put(
                "DescribeCapacityReservations",
                (query, out, context) -> Pages.write(
                        query, out, RESERVATIONS, things.of("capacity-reservation"), each -> reservation(out, each)));
        calls.put("CancelCapacityReservation", this::cancelReservation);
        new CapacityBlocks(things, this).addTo(calls);
        calls.put("CreateImage", this::createImage);
        calls.put("DescribeImages", this::describeImages);
        calls.put("DeregisterImage", this::deregister);
    }

    private void createReservation(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        String id = Things.newId("cr");
        Map<String, String> facts = new HashMap<>();
        facts.put("instance-type", query.required("InstanceType"));
        facts.put("availability-zone", query.required("AvailabilityZone"));
        facts.put("total", Integer.toString(query.whole("InstanceCount", 0, 1, 100_000)));
        facts.put("state", "active");
        facts.put("match", query.get("InstanceMatchCriteria").equals("targeted") ? "targeted" : "open");
        facts.put("reservation-type", "default");
        Thing made = things.put(new Thing(id, "capacity-reservation", facts, query.tagsFor("capacity-reservation")));
        out.open("capacityReservation");
        reservation(out, made);
        out.close("capacityReservation");
        context.note(id);
    }

    void reservation(Xml out, Thing reservation) {
        long total = Long.parseLong(reservation.fact("total"));
        out.leaf("capacityReservationId", reservation.id())
                .leaf("instanceType", reservation.fact("instance-type"))
                .leaf("instancePlatform", "Linux/UNIX")
                .leaf("availabilityZone", reservation.fact("availability-zone"))
                .leaf("totalInstanceCount", total)
                .leaf(
                        "availableInstanceCount",
                        total - InstanceView.inCapacityReservation(cloud, things, reservation.id()))
                .leaf("state", reservation.fact("state"))
                .leaf("instanceMatchCriteria", reservation.fact("match"))
                .leaf("reservationType", reservation.fact("reservation-type"))
                .tags(reservation.tags());
    }

    private void cancelReservation(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        String id = query.required("CapacityReservationId");
        Thing found = things.find("capacity-reservation", id)
                .orElseThrow(() -> new Ec2Error(
                        "InvalidCapacityReservationId.NotFound",
                        "The capacity reservation '" + id + "' does not exist"));
        things.put(found.with("state", "cancelled"));
        out.leaf("return", true);
        context.note(id);
    }

    private void createImage(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        String instance = query.required("InstanceId");
        Thing disk = belongings.volumes().stream()
                .filter(volume -> volume.fact("attachment.instance-id").equals(instance))
                .findFirst()
                .orElseThrow(() -> new Ec2Error(
                        "InvalidInstanceID.NotFound", "The instance ID '" + instance + "' does not exist"));
        String snapshot = Things.newId("snap");
        String id = Things.newId("ami");
        Map<String, String> facts = new HashMap<>();
        facts.put("image-id", id);
        facts.put("name", query.required("Name"));
        facts.put("architecture", "x86_64");
        facts.put("state", "available");
        facts.put("owner-id", Ec2Front.ACCOUNT);
        facts.put("root-device-name", "/dev/xvda");
        facts.put("root-device-type", "ebs");
        facts.put("creation-date", cloud.now().toString());
        facts.put("snapshot-id", snapshot);
        things.putAll(List.of(
                new Thing(id, "image", facts, query.tagsFor("image")),
                new Thing(
                        snapshot,
                        "snapshot",
                        Map.of(
                                "snapshot-id",
                                snapshot,
                                "volume-id",
                                disk.id(),
                                "status",
                                "completed",
                                "volume-size",
                                disk.fact("size"),
                                "start-time",
                                cloud.now().toString()),
                        query.tagsFor("snapshot"))));
        out.leaf("imageId", id);
        context.note(id);
    }

    private void describeImages(Query query, Xml out, Calls.Context context) throws Ec2Error {
        List<String> owners = query.list("Owner");
        if (Ec2Broken.IMAGE_NOT_SHARED.is(cloud)) {
            out.items("imagesSet", List.<Thing>of(), image -> {});
            return;
        }
        List<Thing> images = things.of("image").stream()
                .map(image -> Ec2Broken.image(cloud, image))
                .filter(image -> owners.isEmpty()
                        || owners.contains(image.fact("owner-id"))
                        || (owners.contains("self") && image.fact("owner-id").equals(Ec2Front.ACCOUNT)))
                .toList();
        Pages.write(query, out, IMAGES, images, image -> {
            out.leaf("imageId", image.id())
                    .leaf("imageState", image.fact("state"))
                    .leaf("imageOwnerId", image.fact("owner-id"))
                    .leaf("isPublic", !image.fact("owner-id").equals(Ec2Front.ACCOUNT))
                    .leaf("architecture", image.fact("architecture"))
                    .leaf("platform", image.fact("platform"))
                    .leaf("name", image.fact("name"))
                    .leaf("creationDate", image.fact("creation-date"))
                    .leaf("rootDeviceType", "ebs")
                    .leaf("rootDeviceName", image.fact("root-device-name"));
            out.items(
                    "blockDeviceMapping",
                    image.facts("snapshot-id"),
                    snapshot -> out.leaf("deviceName", image.fact("root-device-name"))
                            .open("ebs")
                            .leaf("snapshotId", snapshot)
                            .leaf("volumeSize", image.fact("gib"))
                            .close("ebs"));
            out.tags(image.tags());
        });
    }

    private void deregister(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        String id = query.required("ImageId");
        if (things.find("image", id).isEmpty()) {
            throw new Ec2Error("InvalidAMIID.NotFound", "The image id '[" + id + "]' does not exist");
        }
        things.removeAll(List.of(id));
        out.leaf("return", true);
        context.note(id);
    }
}
