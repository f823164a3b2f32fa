package org.spillway.localcloud.nova;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.MachineType;

/** Things that can be wrong with a project, each with the document that shows how OpenStack's services tell it. */
enum NovaBroken {
    /** "Manage Compute service quotas"; nova, exception.TooManyInstances: "Quota exceeded for ...". */
    QUOTA_INSTANCES("quota-instances"),
    /** The same. */
    QUOTA_CORES("quota-cores"),
    /** The same. */
    QUOTA_RAM("quota-ram"),
    /** "Manage Flavors": a private flavor is listed for those who have access to it, and is "not found" for others. */
    FLAVOR_HIDDEN("flavor-hidden"),
    /** "Image service API, Deactivate image"; nova, exception.ImageNotActive. */
    IMAGE_INACTIVE("image-inactive"),
    /** "Image service API, Image schema": os_hash, min_ram; nova, exception.FlavorMemoryTooSmall. */
    IMAGE_LARGE("image-large"),
    /** "Networking service API, Networks": router:external, shown to those whom it is shared with. */
    NO_EXTERNAL_NETWORK("no-external-network"),
    /** "Compute API, Keypairs": a key pair is of a user and not of a project. */
    KEY_FOREIGN("key-foreign"),
    /** "Application Credentials": expires_at; Keystone says no more than to any wrong login. */
    EXPIRED_CREDENTIAL("expired-credential"),
    /** "REST API Version History": Queens ends at 2.60, before what Spillway needs. */
    NOVA_QUEENS("nova-queens"),
    /** The same: Rocky ends at 2.65, before {@code volume_type} in {@code block_device_mapping_v2}. */
    NOVA_ROCKY("nova-rocky"),
    /** "Extensions" of the Networking API: an alias that is not loaded is not found. */
    NO_PORT_BINDING("no-port-binding"),
    /** "Service Catalog Overview": a region without an endpoint of a service. */
    NO_ENDPOINT("no-endpoint");

    private final String word;

    NovaBroken(String word) {
        this.word = word;
    }

    static Set<String> words() {
        return Arrays.stream(values()).map(kind -> kind.word).collect(Collectors.toSet());
    }

    boolean is(CloudBehind cloud) {
        return cloud.manner().is(word);
    }

    /** Flavors that the project sees: without its largest, when that is hidden. */
    static List<MachineType> flavors(CloudBehind cloud) {
        List<MachineType> all = cloud.types();
        return FLAVOR_HIDDEN.is(cloud) && all.size() > 1
                ? all.stream().filter(type -> !type.equals(all.getLast())).toList()
                : all;
    }

    /** "Compute API, Limits": -1 is no limit. */
    static ObjectNode limits(CloudBehind cloud) {
        long instances = 0;
        long cores = 0;
        long ram = 0;
        for (var each : cloud.list(Map.of(), "", Integer.MAX_VALUE)) {
            if (each.occupiesCapacity()) {
                MachineType type = cloud.types().stream()
                        .filter(one -> one.name().equals(each.type()))
                        .findFirst()
                        .orElseThrow();
                instances++;
                cores += type.resources().cpus();
                ram += type.resources().memoryBytes() >> 20;
            }
        }
        return Said.object()
                .put("maxTotalInstances", QUOTA_INSTANCES.is(cloud) ? instances : -1)
                .put("totalInstancesUsed", instances)
                .put("maxTotalCores", QUOTA_CORES.is(cloud) ? cores : -1)
                .put("totalCoresUsed", cores)
                .put("maxTotalRAMSize", QUOTA_RAM.is(cloud) ? ram : -1)
                .put("totalRAMUsed", ram);
    }

    /** Nova's refusals before it makes a server. */
    static void checkServer(CloudBehind cloud, MachineType type, String key) throws Said.No {
        ObjectNode limits = limits(cloud);
        if (QUOTA_INSTANCES.is(cloud)) {
            throw quota("instances", 1, limits.path("totalInstancesUsed").asLong());
        }
        if (QUOTA_CORES.is(cloud)) {
            throw quota(
                    "cores",
                    type.resources().cpus(),
                    limits.path("totalCoresUsed").asLong());
        }
        if (QUOTA_RAM.is(cloud)) {
            throw quota(
                    "ram",
                    type.resources().memoryBytes() >> 20,
                    limits.path("totalRAMUsed").asLong());
        }
        if (!flavors(cloud).contains(type)) {
            throw new Said.No(404, "Flavor " + Compute.flavorId(type) + " could not be found.");
        }
        if (IMAGE_INACTIVE.is(cloud)) {
            throw Said.No.bad("Image " + Storage.STOCK_IMAGE + " is not active.");
        }
        if (IMAGE_LARGE.is(cloud)) {
            throw Said.No.bad("Flavor's memory is too small for requested image.");
        }
        if (KEY_FOREIGN.is(cloud) && !key.isEmpty()) {
            throw Said.No.bad("Invalid key_name provided.");
        }
    }

    private static Said.No quota(String of, long requested, long used) {
        return new Said.No(
                403,
                "Quota exceeded for " + of + ": Requested " + requested + ", but already used " + used + " of " + used
                        + " " + of);
    }

    /** An image as the project sees it. */
    static ObjectNode image(CloudBehind cloud, ObjectNode image) {
        if (IMAGE_INACTIVE.is(cloud)) {
            image.put("status", "deactivated");
        }
        if (IMAGE_LARGE.is(cloud)) {
            image.put("min_ram", 1 << 20);
        }
        return image;
    }
}
