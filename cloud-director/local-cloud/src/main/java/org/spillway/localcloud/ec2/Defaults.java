package org.spillway.localcloud.ec2;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Every account's own things: a default network with a subnet in each zone ({@code subnet-00000000000000001} in the
 * first), and images to buy with, {@code ami-00000000000000001} for x86_64 and {@code ami-00000000000000002} for arm64.
 */
final class Defaults {
    static final String VPC = "vpc-00000000000000001";
    static final String GROUP = "sg-00000000000000001";
    private static final String GATEWAY = "igw-00000000000000001";
    private static final String TABLE = "rtb-00000000000000001";

    private Defaults() {}

    static void make(Things things, List<String> zones) throws IOException {
        List<Thing> all = new ArrayList<>();
        if (things.find("vpc", VPC).isEmpty()) {
            all.add(new Thing(
                    VPC,
                    "vpc",
                    Map.of("vpc-id", VPC, "cidr-block", "172.31.0.0/16", "state", "available", "is-default", "true"),
                    Map.of()));
            all.add(new Thing(
                    GROUP,
                    "security-group",
                    Map.of("group-id", GROUP, "group-name", "default", "vpc-id", VPC, "description", "default"),
                    Map.of()));
            all.add(new Thing(
                    GATEWAY,
                    "internet-gateway",
                    Map.of("internet-gateway-id", GATEWAY, "attachment.vpc-id", VPC),
                    Map.of()));
            all.add(new Thing(
                    TABLE,
                    "route-table",
                    Map.of("route-table-id", TABLE, "vpc-id", VPC, "main", "true", "routes", "0.0.0.0/0 " + GATEWAY),
                    Map.of()));
            all.add(image("ami-00000000000000001", "x86_64"));
            all.add(image("ami-00000000000000002", "arm64"));
        }
        for (int i = 0; i < zones.size(); i++) {
            String id = String.format(Locale.ROOT, "subnet-%017x", i + 1);
            if (things.find("subnet", id).isEmpty()) {
                all.add(new Thing(
                        id,
                        "subnet",
                        Map.of(
                                "subnet-id",
                                id,
                                "vpc-id",
                                VPC,
                                "availability-zone",
                                zones.get(i),
                                "cidr-block",
                                "172.31." + i * 16 + ".0/20",
                                "state",
                                "available"),
                        Map.of()));
            }
        }
        if (!all.isEmpty()) {
            things.putAll(all);
        }
    }

    private static Thing image(String id, String architecture) {
        return new Thing(
                id,
                "image",
                Map.of(
                        "image-id",
                        id,
                        "name",
                        "local-cloud-linux-" + architecture,
                        "architecture",
                        architecture,
                        "state",
                        "available",
                        "owner-id",
                        "137112412989",
                        "root-device-type",
                        "ebs",
                        "creation-date",
                        "2026-01-01T00:00:00.000Z",
                        "root-device-name",
                        "/dev/xvda"),
                Map.of());
    }
}
