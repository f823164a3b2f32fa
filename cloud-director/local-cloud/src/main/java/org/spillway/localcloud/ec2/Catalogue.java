package org.spillway.localcloud.ec2;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.MachineType;
import org.spillway.policy.Market;

/** The wares: types, their zones, spot prices; and the zones themselves. */
final class Catalogue {
    private static final long MIB = 1L << 20;
    private static final long GB = 1_000_000_000L;
    private static final int EFA_INTERFACES = 1;
    private static final Pages.Kind TYPES =
            new Pages.Kind("instanceTypeSet", "InstanceType", "", "InvalidInstanceType", Set.of("instance-type"));
    private static final Pages.Kind OFFERINGS =
            new Pages.Kind("instanceTypeOfferingSet", "-", "", "-", Set.of("instance-type", "location"));
    private static final Pages.Kind SPOT = new Pages.Kind(
            "spotPriceHistorySet", "-", "", "-", Set.of("instance-type", "availability-zone", "product-description"));
    private static final Pages.Kind ZONES = new Pages.Kind(
            "availabilityZoneInfo",
            "ZoneName",
            "",
            "InvalidParameterValue",
            Set.of("state", "zone-type", "zone-name", "opt-in-status"));
    private final CloudBehind cloud;
    private final Things things;

    Catalogue(CloudBehind cloud, Things things) {
        this.cloud = cloud;
        this.things = things;
    }

    void addTo(Map<String, Calls.Call> calls) {
        calls.put("DescribeInstanceTypes", this::types);
        calls.put("DescribeInstanceTypeOfferings", this::offerings);
        calls.put("DescribeSpotPriceHistory", this::spotPrices);
        calls.put("DescribeAvailabilityZones", this::zones);
        calls.put("DescribeRegions", this::regions);
    }

    private void types(Query query, Xml out, Calls.Context context) throws Ec2Error {
        Map<String, MachineType> byName = new HashMap<>();
        List<Thing> all = new ArrayList<>();
        for (MachineType type : cloud.types()) {
            byName.put(type.name(), type);
            all.add(new Thing(type.name(), "type", Map.of("instance-type", type.name()), Map.of()));
        }
        Pages.write(query, out, TYPES, all, each -> type(out, Objects.requireNonNull(byName.get(each.id()))));
    }

    private static void type(Xml out, MachineType type) {
        out.leaf("instanceType", type.name()).leaf("currentGeneration", true);
        out.items("supportedUsageClasses", List.of("on-demand", "spot"), Catalogue.text(out));
        out.leaf("bareMetal", false).leaf("hypervisor", "nitro");
        String architecture = type.features().contains("arch:arm64") ? "arm64" : "x86_64";
        out.open("processorInfo");
        out.items("supportedArchitectures", List.of(architecture), Catalogue.text(out));
        out.close("processorInfo");
        int threads = MachineOptions.threads(type);
        out.open("vCpuInfo")
                .leaf("defaultVCpus", type.resources().cpus())
                .leaf("defaultCores", type.resources().cpus() / threads)
                .leaf("defaultThreadsPerCore", threads);
        out.items("validThreadsPerCore", threads == 1 ? List.of(1) : List.of(1, threads), each -> out.text("" + each));
        out.close("vCpuInfo");
        out.open("memoryInfo")
                .leaf("sizeInMiB", type.resources().memoryBytes() / MIB)
                .close("memoryInfo");
        long disk = type.resources().localDiskBytes() / GB;
        out.leaf("instanceStorageSupported", disk > 0);
        if (disk > 0) {
            out.open("instanceStorageInfo").leaf("totalSizeInGB", disk);
            out.items(
                    "disks",
                    List.of(disk),
                    size -> out.leaf("sizeInGB", size).leaf("count", 1).leaf("type", "ssd"));
            out.leaf("nvmeSupport", "required").close("instanceStorageInfo");
        }
        boolean efa = type.features().contains("fabric:efa");
        out.open("networkInfo")
                .leaf("maximumNetworkInterfaces", 4)
                .leaf("maximumNetworkCards", 1)
                .leaf("efaSupported", efa);
        if (efa) {
            out.open("efaInfo").leaf("maximumEfaInterfaces", EFA_INTERFACES).close("efaInfo");
        }
        out.close("networkInfo");
        gpus(out, type);
        out.open("placementGroupInfo");
        out.items("supportedStrategies", List.of("cluster", "partition", "spread"), Catalogue.text(out));
        out.close("placementGroupInfo");
    }

    /** An item that is text and nothing else. */
    private static Xml.Item<String> text(Xml out) {
        return out::text;
    }

    private static void gpus(Xml out, MachineType type) {
        int count = type.resources().gpus();
        if (count == 0) {
            return;
        }
        long memory = type.gpuMemoryBytes() / MIB;
        out.open("gpuInfo");
        out.items(
                "gpus",
                List.of(type),
                each -> out.leaf("name", each.resources().gpuModel().toUpperCase(Locale.ROOT))
                        .leaf("manufacturer", "NVIDIA")
                        .leaf("count", count)
                        .open("memoryInfo")
                        .leaf("sizeInMiB", memory)
                        .close("memoryInfo"));
        out.leaf("totalGpuMemoryInMiB", memory * count).close("gpuInfo");
    }

    private void offerings(Query query, Xml out, Calls.Context context) throws Ec2Error {
        if (!query.get("LocationType").equals("availability-zone")) {
            throw Ec2Error.badValue("LocationType", query.get("LocationType"));
        }
        List<Thing> all = new ArrayList<>();
        for (String zone : cloud.zones()) {
            for (MachineType type : cloud.types()) {
                all.add(new Thing(
                        zone + "/" + type.name(),
                        "offering",
                        Map.of("instance-type", type.name(), "location", zone),
                        Map.of()));
            }
        }
        Pages.write(
                query,
                out,
                OFFERINGS,
                all,
                each -> out.leaf("instanceType", each.fact("instance-type"))
                        .leaf("locationType", "availability-zone")
                        .leaf("location", each.fact("location")));
    }

    private void spotPrices(Query query, Xml out, Calls.Context context) throws Ec2Error {
        Set<String> wanted = Set.copyOf(query.list("InstanceType"));
        List<Thing> all = new ArrayList<>();
        for (String zone : cloud.zones()) {
            for (MachineType type : cloud.types()) {
                if (wanted.isEmpty() || wanted.contains(type.name())) {
                    Map<String, String> facts = Map.of(
                            "instance-type",
                            type.name(),
                            "availability-zone",
                            zone,
                            "product-description",
                            "Linux/UNIX",
                            "spot-price",
                            BigDecimal.valueOf(type.price(Market.SPOT).micros(), 6)
                                    .toPlainString());
                    all.add(new Thing(zone + "/" + type.name(), "price", facts, Map.of()));
                }
            }
        }
        Pages.write(
                query,
                out,
                SPOT,
                all,
                each -> out.leaf("instanceType", each.fact("instance-type"))
                        .leaf("productDescription", "Linux/UNIX")
                        .leaf("spotPrice", each.fact("spot-price"))
                        .leaf("timestamp", cloud.now().toString())
                        .leaf("availabilityZone", each.fact("availability-zone")));
    }

    /** Regions that are asked for, as the account has them. */
    private void regions(Query query, Xml out, Calls.Context context) {
        boolean away = Ec2Broken.REGION_NOT_ENABLED.is(cloud);
        out.items(
                "regionInfo",
                query.list("RegionName"),
                region -> out.leaf("regionName", region)
                        .leaf("regionEndpoint", "ec2." + region + ".amazonaws.com")
                        .leaf("optInStatus", away ? "not-opted-in" : "opt-in-not-required"));
    }

    private void zones(Query query, Xml out, Calls.Context context) throws Ec2Error {
        List<Thing> all = cloud.zones().stream()
                .map(zone -> new Thing(
                        zone,
                        "zone",
                        Map.of(
                                "zone-name",
                                zone,
                                "state",
                                "available",
                                "zone-type",
                                "availability-zone",
                                "opt-in-status",
                                "opt-in-not-required"),
                        Map.of()))
                .toList();
        Pages.write(
                query,
                out,
                ZONES,
                all,
                zone -> out.leaf("zoneName", zone.id())
                        .leaf("zoneState", "available")
                        .leaf("zoneType", "availability-zone")
                        .leaf("optInStatus", "opt-in-not-required")
                        .leaf("regionName", "local"));
        context.note(Integer.toString(things.of("subnet").size()) + " subnets");
    }
}
