package org.spillway.localcloud.ec2;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.MachineType;
import org.spillway.localcloud.StateDirectory;

/** A launch whose parameters have been checked. */
record LaunchPlan(String type, String zone, String image, boolean spot, Map<String, String> facts) {
    LaunchPlan {
        facts = Map.copyOf(facts);
    }

    /** The reservation that all instances of the launch share, with the tags of their disks and interfaces. */
    Thing reservation(String id, Query query, String token) throws Ec2Error {
        Map<String, String> all = new HashMap<>(facts);
        all.put("client-token", token);
        try {
            all.put("volume-tags", StateDirectory.JSON.writeValueAsString(query.tagsFor("volume")));
            all.put("interface-tags", StateDirectory.JSON.writeValueAsString(query.tagsFor("network-interface")));
        } catch (JsonProcessingException unwritable) {
            throw new Ec2Error(500, "InternalError", unwritable.getOriginalMessage());
        }
        return new Thing(id, "reservation", all, Map.of());
    }

    /** Checks parameters as RunInstances does, each with its own code. */
    static final class Reader {
        private final CloudBehind cloud;
        private final Things things;

        Reader(CloudBehind cloud, Things things) {
            this.cloud = cloud;
            this.things = things;
        }

        /** @param marketType spot, capacity-block, or empty */
        LaunchPlan read(Query query, String marketType) throws Ec2Error {
            MachineType type = type(query.required("InstanceType"));
            new Ec2Quotas(cloud).check(type, marketType.equals("spot"));
            Thing image = image(query.required("ImageId"), type);
            Optional<Query> card = query.structures("NetworkInterface").stream().findFirst();
            Thing subnet = subnet(query, card);
            List<String> groups = groups(query, card, subnet);
            Map<String, String> facts = new HashMap<>();
            facts.put("image-id", image.id());
            facts.put("architecture", image.fact("architecture"));
            facts.put("subnet-id", subnet.id());
            facts.put("vpc-id", subnet.fact("vpc-id"));
            facts.put("group-ids", String.join(",", groups));
            facts.put("key-name", key(query.get("KeyName")));
            facts.put("placement-group", placementGroup(query.get("Placement.GroupName")));
            facts.put("market-type", marketType);
            facts.put("public", card.map(c -> c.get("AssociatePublicIpAddress")).orElse("false"));
            facts.put("interfaces", interfaces(query, type));
            new ReservedRoom(cloud, things).choose(query, type, subnet.fact("availability-zone"), marketType, facts);
            Query disk = query.below("BlockDeviceMapping.1.");
            facts.put("disk-gib", disk.get("Ebs.VolumeSize").isEmpty() ? "8" : disk.get("Ebs.VolumeSize"));
            facts.putAll(MachineOptions.read(cloud, query, type));
            facts.put("encrypted", disk.get("Ebs.Encrypted").equals("true") ? "true" : "false");
            facts.put(
                    "delete-on-termination", disk.get("Ebs.DeleteOnTermination").equals("false") ? "false" : "true");
            facts.put("http-tokens", query.get("MetadataOptions.HttpTokens"));
            facts.put("hop-limit", query.get("MetadataOptions.HttpPutResponseHopLimit"));
            boolean spot = marketType.equals("spot");
            return new LaunchPlan(type.name(), subnet.fact("availability-zone"), image.id(), spot, facts);
        }

        private MachineType type(String name) throws Ec2Error {
            return cloud.types().stream()
                    .filter(type -> type.name().equals(name))
                    .findFirst()
                    .orElseThrow(() ->
                            new Ec2Error("InvalidParameterValue", "Invalid value '" + name + "' for InstanceType."));
        }

        private Thing image(String id, MachineType type) throws Ec2Error {
            if (!id.matches("ami-[0-9a-f]{8,17}")) {
                throw new Ec2Error("InvalidAMIID.Malformed", "Invalid id: \"" + id + "\" (expecting \"ami-...\")");
            }
            if (Ec2Broken.IMAGE_NOT_SHARED.is(cloud)) {
                throw new Ec2Error("AuthFailure", "Not authorized for images: [" + id + "]");
            }
            Thing image = things.find("image", id)
                    .map(found -> Ec2Broken.image(cloud, found))
                    .orElseThrow(
                            () -> new Ec2Error("InvalidAMIID.NotFound", "The image id '[" + id + "]' does not exist"));
            if (!type.features().contains("arch:" + image.fact("architecture"))) {
                throw new Ec2Error(
                        "InvalidParameterValue",
                        "The architecture of " + type.name() + " is not the '" + image.fact("architecture")
                                + "' of the specified AMI.");
            }
            return image;
        }

        private Thing subnet(Query query, Optional<Query> card) throws Ec2Error {
            String given =
                    card.map(c -> c.get("SubnetId")).filter(s -> !s.isEmpty()).orElse(query.get("SubnetId"));
            if (given.isEmpty()) {
                String zone = query.get("Placement.AvailabilityZone");
                return things.of("subnet").stream()
                        .filter(s -> s.fact("vpc-id").equals(Defaults.VPC)
                                && (zone.isEmpty()
                                        || s.fact("availability-zone").equals(zone)))
                        .findFirst()
                        .orElseThrow(() -> Ec2Error.badValue("AvailabilityZone", zone));
            }
            if (Ec2Broken.SUBNET_FULL.is(cloud)) {
                throw new Ec2Error(
                        "InsufficientFreeAddressesInSubnet",
                        "There are not enough free addresses in subnet '" + given
                                + "' to satisfy the requested number of instances.");
            }
            return things.find("subnet", given)
                    .orElseThrow(() ->
                            new Ec2Error("InvalidSubnetID.NotFound", "The subnet ID '" + given + "' does not exist"));
        }

        private List<String> groups(Query query, Optional<Query> card, Thing subnet) throws Ec2Error {
            List<String> given = card.map(c -> c.list("SecurityGroupId"))
                    .filter(g -> !g.isEmpty())
                    .orElse(query.list("SecurityGroupId"));
            for (String id : given) {
                Thing group = things.find("security-group", id)
                        .orElseThrow(() -> new Ec2Error(
                                "InvalidGroup.NotFound", "The security group '" + id + "' does not exist"));
                if (!group.fact("vpc-id").equals(subnet.fact("vpc-id"))) {
                    throw new Ec2Error(
                            "InvalidParameter",
                            "Security group " + id + " and subnet " + subnet.id() + " belong to different networks.");
                }
            }
            return given.isEmpty() ? List.of(Defaults.GROUP) : given;
        }

        private String key(String name) throws Ec2Error {
            if (!name.isEmpty()
                    && things.of("key-pair").stream()
                            .noneMatch(k -> k.fact("key-name").equals(name))) {
                throw new Ec2Error("InvalidKeyPair.NotFound", "The key pair '" + name + "' does not exist");
            }
            return name;
        }

        private String placementGroup(String name) throws Ec2Error {
            if (!name.isEmpty()
                    && things.of("placement-group").stream()
                            .noneMatch(g -> g.fact("group-name").equals(name))) {
                throw new Ec2Error("InvalidPlacementGroup.Unknown", "The Placement Group '" + name + "' is unknown.");
            }
            return name;
        }

        private static String interfaces(Query query, MachineType type) throws Ec2Error {
            List<Query> cards = query.structures("NetworkInterface");
            for (Query card : cards) {
                if (card.get("InterfaceType").startsWith("efa")
                        && !type.features().contains("fabric:efa")) {
                    throw new Ec2Error(
                            "InvalidParameterCombination", "EFA interfaces are not supported on " + type.name());
                }
                if (cards.size() > 1 && card.isTrue("AssociatePublicIpAddress")) {
                    throw new Ec2Error(
                            "InvalidParameterCombination",
                            "The associatePublicIPAddress parameter cannot be used with several network interfaces");
                }
            }
            return Integer.toString(Math.max(1, cards.size()));
        }
    }
}
