package org.spillway.cloud.openstack;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.spillway.cloud.SiteSettings;

/**
 * Wishes of a site for how its servers are made, beside what all have.
 *
 * @param configDrive whether a server gets one; empty for what the cloud does by itself
 * @param volumeType of the boot volume; empty for the cloud's default
 * @param vnicType of the port in the site's network; empty for one that Nova makes
 * @param more networks beside the site's, in the order of the interfaces
 * @param gpus of flavors whose extra specs do not tell them, by the flavor's name
 * @param removal how long the remains of a launch are waited for to be gone
 */
record ServerOptions(
        Optional<Boolean> configDrive,
        String volumeType,
        String vnicType,
        List<Wish> more,
        Map<String, Gpus> gpus,
        Duration removal) {
    static final Set<String> KEYS =
            Set.of("configDrive", "volumeType", "vnicType", "moreNetworks", "flavorGpus", "removalSeconds");
    /** {@code binding:vnic_type} of the Networking API, "Port binding extended attributes". */
    private static final Set<String> VNIC_TYPES = Set.of(
            "normal",
            "direct",
            "direct-physical",
            "macvtap",
            "baremetal",
            "virtio-forwarder",
            "vdpa",
            "smart-nic",
            "accelerator-direct",
            "accelerator-direct-physical",
            "remote-managed");

    private static final int MAX_SECONDS = 3600;

    /** @param vnicType empty for a port that Nova makes */
    record Wish(String network, String vnicType) {}

    /** @param count of one server; 0 for none whatever the flavor's extra specs say */
    record Gpus(int count, OpenStackSettings.Device device) {}

    static ServerOptions from(Options options) {
        String drive = options.text("configDrive", "default");
        if (!Set.of("true", "false", "default").contains(drive)) {
            throw new SiteSettings.Invalid("configDrive", "found '" + drive + "'; allowed: true, false, default");
        }
        String volumeType = options.text("volumeType", "");
        if (!volumeType.isEmpty() && options.text("diskGiB", "").isEmpty()) {
            throw new SiteSettings.Invalid("volumeType", "goes with diskGiB: only a boot volume has a type");
        }
        return new ServerOptions(
                drive.equals("default") ? Optional.empty() : Optional.of(drive.equals("true")),
                volumeType,
                vnicType("vnicType", options.text("vnicType", "")),
                more(options.list("moreNetworks")),
                gpus(options.list("flavorGpus")),
                Duration.ofSeconds(options.whole("removalSeconds", 1, MAX_SECONDS, 60)));
    }

    /** Whether a server's ports are made before it: then each server is a request of its own. */
    boolean hasPorts() {
        return !vnicType.isEmpty()
                || more.stream().anyMatch(each -> !each.vnicType().isEmpty());
    }

    private static String vnicType(String key, String found) {
        if (!found.isEmpty() && !VNIC_TYPES.contains(found)) {
            throw new SiteSettings.Invalid(
                    key,
                    "found '" + found + "'; allowed: "
                            + String.join(", ", VNIC_TYPES.stream().sorted().toList()));
        }
        return found;
    }

    /** {@code fabric=direct, storage}. */
    private static List<Wish> more(List<String> entries) {
        List<Wish> more = new ArrayList<>();
        for (String entry : entries) {
            int equals = entry.lastIndexOf('=');
            String network = equals < 0 ? entry : entry.substring(0, equals).strip();
            if (network.isEmpty() || equals == entry.length() - 1) {
                throw new SiteSettings.Invalid(
                        "moreNetworks", "found '" + entry + "'; allowed: NETWORK, NETWORK=VNICTYPE");
            }
            more.add(new Wish(
                    network,
                    equals < 0
                            ? ""
                            : vnicType(
                                    "moreNetworks", entry.substring(equals + 1).strip())));
        }
        return List.copyOf(more);
    }

    /** {@code bm.hgx=8xh100:80, bm.plain=-}. */
    private static Map<String, Gpus> gpus(List<String> entries) {
        Map<String, Gpus> gpus = new LinkedHashMap<>();
        for (String entry : entries) {
            if (!entry.matches("[^=]+=(-|[1-9][0-9]{0,2}x[A-Za-z0-9_.-]+(:[1-9][0-9]{0,5})?)")) {
                throw new SiteSettings.Invalid(
                        "flavorGpus",
                        "found '" + entry + "'; allowed: FLAVOR=COUNTxMODEL:GIB, FLAVOR=COUNTxMODEL, FLAVOR=-");
            }
            int equals = entry.indexOf('=');
            gpus.put(entry.substring(0, equals).strip(), gpus(entry.substring(equals + 1)));
        }
        return gpus;
    }

    private static Gpus gpus(String value) {
        if (value.equals("-")) {
            return new Gpus(0, new OpenStackSettings.Device("", 0, ""));
        }
        int times = value.indexOf('x');
        int colon = value.indexOf(':');
        String model = value.substring(times + 1, colon < 0 ? value.length() : colon);
        long gib = colon < 0 ? 0 : Long.parseLong(value.substring(colon + 1));
        return new Gpus(
                Integer.parseInt(value.substring(0, times)),
                new OpenStackSettings.Device(model.toLowerCase(Locale.ROOT), gib << 30, ""));
    }
}
