package org.spillway.proof.demo;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The clouds that the demo's regions can be: local clouds as such, beside a Slurm, or local clouds that wear a vendor's
 * API.
 */
enum EmulatedApi {
    LOCAL("", "", "e.small", "e.large", "w.small", "w.large", "w.huge"),
    /** Each in a namespace of its own, with machines whose slurmds serve the Slurm at home. */
    SLURM("", "", "e.small", "e.large", "w.small", "w.large", "w.large"),
    AWS("ec2", "us-east-1a", "t3.small", "c7i.xlarge", "t3.micro", "m7i.xlarge", "m7i.4xlarge"),
    AZURE("arm", "1", "Standard_B1ms", "Standard_D4s_v5", "Standard_B1s", "Standard_E4s_v5", "Standard_E16s_v5"),
    OPENSTACK("nova", "nova", "e1.small", "e1.large", "w1.small", "w1.large", "w1.huge");

    private static final List<String> PLACES = List.of("@SMALL@", "@LARGE@", "@WEST_SMALL@", "@WEST_LARGE@", "@HUGE@");
    private final String api;
    private final String zone;
    private final List<String> types;

    EmulatedApi(String api, String zone, String... types) {
        this.api = api;
        this.zone = zone;
        this.types = List.of(types);
    }

    /** As {@code --cloud} says it. */
    String word() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }

    static Optional<EmulatedApi> named(String word) {
        return Arrays.stream(values())
                .filter(one -> !one.isLocal() && one.word().equals(word))
                .findFirst();
    }

    /** Wears nobody's API. */
    boolean isLocal() {
        return api.isEmpty();
    }

    static String words() {
        return Arrays.stream(values())
                .filter(one -> !one.isLocal())
                .map(EmulatedApi::word)
                .collect(Collectors.joining(", "));
    }

    /** As {@code local-cloud --api} says it; empty for its own. */
    String api() {
        return api;
    }

    List<String> regions() {
        return this == SLURM ? List.of("east", "west") : List.of(word() + "-east", word() + "-west");
    }

    /** The region's wares, as configuration of its local cloud. */
    String catalogue(String region) throws IOException {
        String text = WorkloadLog.resource(
                (this == SLURM ? "slurm" : "local") + (region.endsWith("east") ? "-east.yaml" : "-west.yaml"));
        if (isLocal()) {
            return text;
        }
        List<String> ours = LOCAL.types;
        for (int i = 0; i < types.size(); i++) {
            text = text.replace("name: " + ours.get(i) + ",", "name: " + types.get(i) + ",");
        }
        return text.replace("zones: [a]", "zones: ['" + zone + "']");
    }

    /**
     * The region's section in the head's configuration.
     *
     * @param values what stands for {@code @FOLDER@}, {@code @ENDPOINT@} and the like
     */
    String section(String region, Map<String, String> values) throws IOException {
        String text = WorkloadLog.resource("site-" + word() + ".yaml");
        boolean east = region.endsWith("east");
        text = text.replace("@DIRECTOR_TYPE@", east ? "@SMALL@" : "@WEST_SMALL@")
                .replace("@MAX_NODES@", east ? "2" : "3")
                .replace("@REGION@", region)
                .replace("@SIDE@", east ? "east" : "west")
                .replace("@ZONE@", zone);
        for (int i = 0; i < types.size(); i++) {
            text = text.replace(PLACES.get(i), types.get(i));
        }
        for (var value : values.entrySet()) {
            text = text.replace(value.getKey(), value.getValue());
        }
        return text.stripTrailing() + "\n";
    }
}
