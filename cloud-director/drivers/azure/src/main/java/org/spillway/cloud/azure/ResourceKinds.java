package org.spillway.cloud.azure;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Resource types that may stand on a bill, or keep something on it; with the version of the API that deletes them. */
final class ResourceKinds {
    private static final String COMPUTE = "2025-04-01";
    private static final String DISKS = "2025-01-02";
    private static final String NETWORK = "2024-10-01";

    /** @param price word in the site's own prices */
    record Kind(String kind, String apiVersion, String price) {}

    static final String MACHINE = "microsoft.compute/virtualmachines";

    private static final Map<String, Kind> KINDS = Map.ofEntries(
            Map.entry(MACHINE, new Kind("instance", COMPUTE, "")),
            Map.entry("microsoft.compute/disks", new Kind("disk", DISKS, "disk")),
            Map.entry("microsoft.compute/snapshots", new Kind("snapshot", DISKS, "snapshot")),
            Map.entry("microsoft.compute/images", new Kind("image", COMPUTE, "image")),
            Map.entry("microsoft.compute/galleries", new Kind("image", "2024-03-03", "image")),
            Map.entry("microsoft.compute/sshpublickeys", new Kind("key", COMPUTE, "key")),
            Map.entry("microsoft.compute/availabilitysets", new Kind("placement-group", COMPUTE, "placement-group")),
            Map.entry(
                    "microsoft.compute/proximityplacementgroups",
                    new Kind("placement-group", COMPUTE, "placement-group")),
            Map.entry("microsoft.compute/virtualmachinescalesets", new Kind("scale-set", COMPUTE, "scale-set")),
            Map.entry("microsoft.compute/capacityreservationgroups", new Kind("reservation", COMPUTE, "reservation")),
            Map.entry("microsoft.network/networkinterfaces", new Kind("interface", NETWORK, "interface")),
            Map.entry("microsoft.network/publicipaddresses", new Kind("address", NETWORK, "public-address")),
            Map.entry("microsoft.network/networksecuritygroups", new Kind("group", NETWORK, "security-group")),
            Map.entry("microsoft.network/applicationsecuritygroups", new Kind("group", NETWORK, "security-group")),
            Map.entry("microsoft.network/natgateways", new Kind("gateway", NETWORK, "nat-gateway")),
            Map.entry("microsoft.network/virtualnetworks", new Kind("network", NETWORK, "network")),
            Map.entry("microsoft.storage/storageaccounts", new Kind("bucket", "2024-01-01", "bucket")));

    private ResourceKinds() {}

    static Optional<Kind> of(String type) {
        return Optional.ofNullable(KINDS.get(type.toLowerCase(Locale.ROOT)));
    }

    /** Of an id such as {@code /subscriptions/S/resourceGroups/G/providers/Microsoft.Compute/disks/NAME}. */
    static Optional<Kind> ofId(String id) {
        String[] words = id.split("/", -1);
        return words.length == 9 ? of(words[6] + "/" + words[7]) : Optional.empty();
    }
}
