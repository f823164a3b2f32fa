package org.spillway.cloud.openstack;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.spillway.policy.Resources;

/** Reads Nova's description of a flavor. */
final class Flavors {
    static final String BARE_METAL = "bare-metal";
    private static final long MIB = 1L << 20;
    private static final long GIB = 1L << 30;
    private static final Map<String, String> ARCHITECTURES =
            Map.of("aarch64", "arm64", "arm64", "arm64", "x86_64", "x86_64", "amd64", "x86_64", "ppc64le", "ppc64le");
    private final List<String> patterns;
    private final Map<String, OpenStackSettings.Device> aliases;
    private final Map<String, ServerOptions.Gpus> told;

    /** @param told the GPUs of flavors by their names, whatever the extra specs say */
    Flavors(
            List<String> patterns,
            Map<String, OpenStackSettings.Device> aliases,
            Map<String, ServerOptions.Gpus> told) {
        this.patterns = patterns;
        this.aliases = aliases;
        this.told = told;
    }

    /**
     * @param guessed aliases that stand in no {@code gpuAliases} and were taken for the GPU model of their own name
     */
    record Flavor(
            String id,
            String name,
            Resources resources,
            Set<String> features,
            long gpuMemoryBytes,
            Set<String> guessed) {
        Flavor {
            features = Set.copyOf(features);
            guessed = Set.copyOf(guessed);
        }
    }

    boolean wants(String name) {
        return patterns.isEmpty() || patterns.stream().anyMatch(pattern -> name.matches(expression(pattern)));
    }

    private static String expression(String pattern) {
        return "\\Q" + pattern.replace("*", "\\E.*\\Q") + "\\E";
    }

    /** @throws IllegalArgumentException if it is not a flavor */
    Flavor read(JsonNode flavor) {
        String id = flavor.path("id").asText();
        String name = flavor.path("name").asText();
        if (id.isEmpty()
                || name.isEmpty()
                || !flavor.path("vcpus").isInt()
                || !flavor.path("ram").isInt()) {
            throw new IllegalArgumentException("a flavor has no id, name, vcpus or ram");
        }
        JsonNode specs = flavor.path("extra_specs");
        Devices devices = devices(specs);
        ServerOptions.Gpus gpus = told.get(name);
        if (gpus != null) {
            devices.say(gpus);
        }
        Set<String> features = new HashSet<>(devices.features);
        features.add("arch:" + architecture(specs));
        if (isBareMetal(specs)) {
            features.add(BARE_METAL);
        }
        String fabric = specs.path("spillway:fabric").asText("");
        if (!fabric.isEmpty()) {
            features.add("fabric:" + fabric);
        }
        long disk = flavor.path("disk").asLong()
                + flavor.path("OS-FLV-EXT-DATA:ephemeral").asLong();
        Resources resources = new Resources(
                flavor.path("vcpus").asInt(),
                flavor.path("ram").asLong() * MIB,
                devices.gpus,
                devices.model,
                disk * GIB);
        return new Flavor(id, name, resources, features, devices.memoryBytes, devices.guessed);
    }

    /** As "Create flavors for use with the Bare Metal service" of Ironic has it: no VCPU, and one of a custom class. */
    private static boolean isBareMetal(JsonNode specs) {
        return specs.path("resources:VCPU").asText("").equals("0")
                && specs.properties().stream().anyMatch(each -> each.getKey().startsWith("resources:CUSTOM_"));
    }

    /** The sum of a flavor's devices. */
    private static final class Devices {
        private int gpus;
        private String model = "";
        private long memoryBytes;
        private final Set<String> features = new HashSet<>();
        private final Set<String> guessed = new TreeSet<>();

        void add(OpenStackSettings.Device device, int count) {
            if (!device.fabric().isEmpty()) {
                features.add("fabric:" + device.fabric());
            }
            if (!device.model().isEmpty()) {
                gpus += count;
                model = device.model();
                memoryBytes = device.memoryBytes();
            }
        }

        /** The site's own word stands above the flavor's. */
        void say(ServerOptions.Gpus said) {
            gpus = said.count();
            model = said.device().model();
            memoryBytes = said.device().memoryBytes();
            guessed.clear();
        }
    }

    private Devices devices(JsonNode specs) {
        Devices devices = new Devices();
        for (String part : specs.path("pci_passthrough:alias").asText("").split(",", -1)) {
            String[] words = part.strip().split(":", 2);
            if (!words[0].isEmpty()) {
                int count = words.length == 2 && words[1].strip().matches("[0-9]{1,4}")
                        ? Integer.parseInt(words[1].strip())
                        : 1;
                OpenStackSettings.Device device = aliases.get(words[0].strip());
                if (device == null) {
                    devices.guessed.add(words[0].strip());
                    device = new OpenStackSettings.Device(words[0].strip().toLowerCase(Locale.ROOT), 0, "");
                }
                devices.add(device, count);
            }
        }
        specs.properties().forEach(spec -> {
            String key = spec.getKey();
            String value = spec.getValue().asText();
            // Numbered groups ask for several: resources1:VGPU.
            if (key.matches("resources[^:]*:VGPU") && value.matches("[1-9][0-9]{0,3}")) {
                devices.features.add("gpu-fraction");
                devices.add(virtual(specs, devices), Integer.parseInt(value));
            }
            if (key.matches("resources[^:]*:PGPU") && value.matches("[1-9][0-9]{0,3}")) {
                devices.add(virtual(specs, devices), Integer.parseInt(value));
            }
        });
        return devices;
    }

    /** A virtual GPU's model stands in a trait that the flavor requires, or in the alias {@code VGPU}. */
    private OpenStackSettings.Device virtual(JsonNode specs, Devices devices) {
        for (Map.Entry<String, JsonNode> spec : specs.properties()) {
            String key = spec.getKey();
            int colon = key.indexOf(':');
            if (key.startsWith("trait") && colon > 0 && spec.getValue().asText().equals("required")) {
                OpenStackSettings.Device device = aliases.get(key.substring(colon + 1));
                if (device != null && !device.model().isEmpty()) {
                    return device;
                }
            }
        }
        OpenStackSettings.Device device = aliases.get("VGPU");
        if (device != null) {
            return device;
        }
        devices.guessed.add("VGPU");
        return new OpenStackSettings.Device("vgpu", 0, "");
    }

    private static String architecture(JsonNode specs) {
        for (Map.Entry<String, JsonNode> spec : specs.properties()) {
            String key = spec.getKey().toLowerCase(Locale.ROOT);
            String value = spec.getValue().asText().toLowerCase(Locale.ROOT);
            boolean stated = key.equals("hw_architecture")
                    || key.equals("hw:architecture")
                    || key.equals("capabilities:cpu_arch")
                    || key.equals("capabilities:cpu_info:arch");
            if (stated && ARCHITECTURES.containsKey(value.replaceAll("^[^a-z]+", ""))) {
                return ARCHITECTURES.getOrDefault(value.replaceAll("^[^a-z]+", ""), "x86_64");
            }
            if (key.startsWith("trait:hw_arch_") && value.equals("required")) {
                String word = key.substring("trait:hw_arch_".length());
                return ARCHITECTURES.getOrDefault(word, word);
            }
        }
        return "x86_64";
    }
}
