package org.spillway.cloud.openstack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.spillway.policy.Resources;

final class FlavorsTest {
    private static final Map<String, OpenStackSettings.Device> ALIASES = Map.of(
            "h100", new OpenStackSettings.Device("h100", 80L << 30, ""),
            "ib", new OpenStackSettings.Device("", 0, "infiniband"),
            "qat", new OpenStackSettings.Device("", 0, ""),
            "CUSTOM_A100", new OpenStackSettings.Device("a100", 10L << 30, ""));

    private static Flavors.Flavor read(String extraSpecs) throws Exception {
        JsonNode flavor = new ObjectMapper().readTree("""
                        {"id": "7", "name": "g1", "vcpus": 8, "ram": 65536, "disk": 20, "OS-FLV-EXT-DATA:ephemeral": 80,
                        "extra_specs": {%s}}
                        """.formatted(extraSpecs.replace('\'', '"')));
        return new Flavors(List.of(), ALIASES, Map.of()).read(flavor);
    }

    @Test
    void aPlainOne() throws Exception {
        Flavors.Flavor flavor = read("");
        assertThat(flavor.resources()).isEqualTo(new Resources(8, 64L << 30, 0, "", 100L << 30));
        assertThat(flavor.features()).containsExactly("arch:x86_64");
        assertThat(flavor.guessed()).isEmpty();
    }

    @Test
    void devicesByTheirAliases() throws Exception {
        Flavors.Flavor flavor = read("'pci_passthrough:alias': 'h100:4, ib:1,qat:2'");
        assertThat(flavor.resources().gpus()).isEqualTo(4);
        assertThat(flavor.resources().gpuModel()).isEqualTo("h100");
        assertThat(flavor.gpuMemoryBytes()).isEqualTo(80L << 30);
        assertThat(flavor.features()).containsExactlyInAnyOrder("arch:x86_64", "fabric:infiniband");
    }

    /** A flavor such as Ironic's, whose resource class tells of no device. */
    @Test
    void theSitesWordStandsAboveTheExtraSpecs() throws Exception {
        JsonNode flavor = new ObjectMapper()
                .readTree("{\"id\": \"7\", \"name\": \"bm\", \"vcpus\": 8, \"ram\": 1024, \"disk\": 1, \"extra_specs\":"
                        + " {\"resources:CUSTOM_BM\": \"1\", \"pci_passthrough:alias\": \"odd:2\"}}");
        Flavors.Flavor read = new Flavors(
                        List.of(),
                        Map.of(),
                        Map.of("bm", new ServerOptions.Gpus(8, new OpenStackSettings.Device("h100", 80L << 30, ""))))
                .read(flavor);
        assertThat(read.resources().gpus()).isEqualTo(8);
        assertThat(read.resources().gpuModel()).isEqualTo("h100");
        assertThat(read.gpuMemoryBytes()).isEqualTo(80L << 30);
        assertThat(read.guessed()).isEmpty();
    }

    @Test
    void anAliasWithoutMeaningIsGuessed() throws Exception {
        Flavors.Flavor flavor = read("'pci_passthrough:alias': 'L40S:1'");
        assertThat(flavor.resources().gpuModel()).isEqualTo("l40s");
        assertThat(flavor.guessed()).containsExactly("L40S");
    }

    @Test
    void aShareOfAGpu() throws Exception {
        Flavors.Flavor flavor = read("'resources:VGPU': '1', 'trait:CUSTOM_A100': 'required'");
        assertThat(flavor.resources().gpus()).isEqualTo(1);
        assertThat(flavor.resources().gpuModel()).isEqualTo("a100");
        assertThat(flavor.gpuMemoryBytes()).isEqualTo(10L << 30);
        assertThat(flavor.features()).contains("gpu-fraction");
        assertThat(read("'resources2:VGPU': '2'").guessed()).containsExactly("VGPU");
    }

    @Test
    void architectureAndFabricWhereTheyAreStated() throws Exception {
        assertThat(read("'trait:HW_ARCH_AARCH64': 'required'").features()).contains("arch:arm64");
        assertThat(read("'hw_architecture': 'aarch64'").features()).contains("arch:arm64");
        assertThat(read("'spillway:fabric': 'efa'").features()).contains("fabric:efa");
    }

    @Test
    void patternsChoose() {
        Flavors some = new Flavors(List.of("g1.*", "m1.small"), Map.of(), Map.of());
        assertThat(some.wants("g1.h100x2")).isTrue();
        assertThat(some.wants("m1.small")).isTrue();
        assertThat(some.wants("m1.small2")).isFalse();
        assertThat(some.wants("xg1.h100")).isFalse();
        assertThat(new Flavors(List.of(), Map.of(), Map.of()).wants("any")).isTrue();
    }

    @Test
    void whatIsNoFlavorIsRefused() {
        assertThatThrownBy(() ->
                        new Flavors(List.of(), Map.of(), Map.of()).read(new ObjectMapper().readTree("{\"id\": \"7\"}")))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
