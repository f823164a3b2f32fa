package org.spillway.localcloud.ec2;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.spillway.cloud.Instance;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.InstanceRecord;
import org.spillway.policy.Market;

/** An instance as EC2 shows it. */
final class InstanceView {
    /** Tags that are the front's own notes, on the instance behind. */
    static final String RESERVATION = "ec2:reservation";

    static final String PARAMETERS = "ec2:parameters";
    private static final Thing UNKNOWN_RESERVATION = new Thing("r-0", "reservation", Map.of(), Map.of());

    private InstanceView() {}

    static Thing reservationOf(InstanceRecord instance, Things things) {
        return things.find("reservation", instance.tags().getOrDefault(RESERVATION, ""))
                .orElse(UNKNOWN_RESERVATION);
    }

    static Map<String, String> tagsOf(InstanceRecord instance) {
        Map<String, String> tags = new LinkedHashMap<>(instance.tags());
        tags.keySet().removeIf(key -> key.startsWith("ec2:"));
        return tags;
    }

    static long inCapacityReservation(CloudBehind cloud, Things things, String id) {
        return cloud.list(Map.of(), "", Integer.MAX_VALUE).stream()
                .filter(instance -> instance.state().isLive())
                .filter(instance -> reservationOf(instance, things)
                        .fact("capacity-reservation")
                        .equals(id))
                .count();
    }

    /** The values that filters of DescribeInstances look at. */
    static Map<String, String> facts(InstanceRecord instance, Things things, Instant now) {
        Thing reservation = reservationOf(instance, things);
        return Map.of(
                "instance-id",
                instance.id(),
                "instance-state-name",
                state(stateOf(instance, now)),
                "instance-type",
                instance.type(),
                "availability-zone",
                instance.zone(),
                "vpc-id",
                reservation.fact("vpc-id"),
                "subnet-id",
                reservation.fact("subnet-id"),
                "placement-group-name",
                reservation.fact("placement-group"),
                "client-token",
                reservation.fact("client-token"));
    }

    /** The answer of RunInstances. */
    static void reservation(Xml out, Things things, List<InstanceRecord> instances, Instant now) {
        Thing reservation = instances.isEmpty() ? UNKNOWN_RESERVATION : reservationOf(instances.getFirst(), things);
        out.leaf("reservationId", reservation.id()).leaf("ownerId", Ec2Front.ACCOUNT);
        out.items("instancesSet", instances, each -> write(out, each, reservation, now));
    }

    /** The answer of DescribeInstances. */
    static void reservations(Xml out, Things things, List<InstanceRecord> page, Instant now) {
        Map<String, List<InstanceRecord>> groups = new LinkedHashMap<>();
        for (InstanceRecord each : page) {
            groups.computeIfAbsent(each.tags().getOrDefault(RESERVATION, ""), none -> new ArrayList<>())
                    .add(each);
        }
        out.items("reservationSet", groups.values(), group -> reservation(out, things, group, now));
    }

    /** An instance that failed after it was promised is gone by itself in EC2; behind, its remains wait to be ended. */
    static Instance.State stateOf(InstanceRecord instance, Instant now) {
        return instance.hasFailed() ? Instance.State.TERMINATED : instance.stateAt(now);
    }

    static String state(Instance.State state) {
        return switch (state) {
            case PENDING -> "pending";
            case RUNNING -> "running";
            case STOPPING -> "stopping";
            case STOPPED -> "stopped";
            case TERMINATING -> "shutting-down";
            case TERMINATED -> "terminated";
        };
    }

    static void state(Xml out, String element, Instance.State state) {
        int code = switch (state) {
            case PENDING -> 0;
            case RUNNING -> 16;
            case TERMINATING -> 32;
            case TERMINATED -> 48;
            case STOPPING -> 64;
            case STOPPED -> 80;
        };
        out.open(element).leaf("code", code).leaf("name", state(state)).close(element);
    }

    private static void write(Xml out, InstanceRecord instance, Thing reservation, Instant now) {
        Instance.State state = stateOf(instance, now);
        boolean present = state != Instance.State.TERMINATED;
        out.leaf("instanceId", instance.id()).leaf("imageId", reservation.fact("image-id"));
        state(out, "instanceState", state);
        out.leaf("keyName", reservation.fact("key-name"))
                .leaf("instanceType", instance.type())
                .leaf("launchTime", instance.launchedAt().toString());
        out.open("placement")
                .leaf("availabilityZone", instance.zone())
                .leaf("groupName", reservation.fact("placement-group"))
                .leaf("tenancy", "default")
                .close("placement");
        if (present) {
            out.leaf("privateIpAddress", instance.address())
                    .leaf("ipAddress", reservation.fact("public").equals("true") ? instance.address() : "")
                    .leaf("subnetId", reservation.fact("subnet-id"))
                    .leaf("vpcId", reservation.fact("vpc-id"));
            out.items("groupSet", reservation.facts("group-ids"), id -> out.leaf("groupId", id));
            disk(out, instance, reservation);
        }
        if (!state.isLive() || state == Instance.State.STOPPED) {
            String code = StateReason.code(instance);
            out.open("stateReason")
                    .leaf("code", code)
                    .leaf("message", code + ": " + instance.reason())
                    .close("stateReason");
        }
        out.leaf("architecture", reservation.fact("architecture"))
                .leaf("rootDeviceType", "ebs")
                .leaf("clientToken", reservation.fact("client-token"));
        market(out, instance, reservation);
        options(out, reservation);
        String profile = reservation.fact("instance-profile");
        if (!profile.isEmpty()) {
            out.open("iamInstanceProfile").leaf("arn", profile).close("iamInstanceProfile");
        }
        if (!reservation.fact("cores").isEmpty()) {
            out.open("cpuOptions")
                    .leaf("coreCount", reservation.fact("cores"))
                    .leaf("threadsPerCore", reservation.fact("threads-per-core"))
                    .close("cpuOptions");
        }
        out.tags(tagsOf(instance));
    }

    private static void disk(Xml out, InstanceRecord instance, Thing reservation) {
        out.open("blockDeviceMapping")
                .open("item")
                .leaf("deviceName", "/dev/xvda")
                .open("ebs");
        out.leaf("volumeId", Belongings.volumeId(instance))
                .leaf("status", "attached")
                .leaf("deleteOnTermination", reservation.fact("delete-on-termination"));
        out.close("ebs").close("item").close("blockDeviceMapping");
    }

    private static void market(Xml out, InstanceRecord instance, Thing reservation) {
        if (instance.market() == Market.SPOT) {
            out.leaf("instanceLifecycle", "spot")
                    .leaf("spotInstanceRequestId", "sir-" + instance.id().substring(2));
        } else if (reservation.fact("market-type").equals("capacity-block")) {
            out.leaf("instanceLifecycle", "capacity-block");
        }
        String target = reservation.fact("capacity-reservation-target");
        out.leaf("capacityReservationId", reservation.fact("capacity-reservation"));
        out.open("capacityReservationSpecification");
        String preference = reservation.fact("capacity-preference");
        if (target.isEmpty()) {
            out.leaf("capacityReservationPreference", preference.isEmpty() ? "open" : preference);
        } else {
            out.open("capacityReservationTarget")
                    .leaf("capacityReservationId", target)
                    .close("capacityReservationTarget");
        }
        out.close("capacityReservationSpecification");
    }

    private static void options(Xml out, Thing reservation) {
        String hops = reservation.fact("hop-limit");
        String tokens = reservation.fact("http-tokens");
        out.open("metadataOptions")
                .leaf("state", "applied")
                .leaf("httpTokens", tokens.isEmpty() ? "optional" : tokens)
                .leaf("httpPutResponseHopLimit", hops.isEmpty() ? "1" : hops)
                .leaf("httpEndpoint", "enabled")
                .close("metadataOptions");
    }
}
