package org.spillway.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;

import com.azure.json.JsonProviders;
import com.azure.json.JsonReader;
import com.azure.resourcemanager.compute.fluent.models.ResourceSkuInner;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SizeTest {
    private static final long GIB = 1L << 30;

    private static ObjectNode sku(String name, String family, List<String> zones, Map<String, String> capabilities) {
        ObjectNode sku = JsonNodeFactory.instance.objectNode();
        sku.put("resourceType", "virtualMachines").put("name", name).put("family", family);
        ObjectNode info = sku.putArray("locationInfo").addObject().put("location", "WestEurope");
        zones.forEach(info.putArray("zones")::add);
        capabilities.forEach((key, value) ->
                sku.withArray("/capabilities").addObject().put("name", key).put("value", value));
        sku.putArray("restrictions");
        return sku;
    }

    private static Optional<Size> read(ObjectNode sku) throws IOException {
        try (JsonReader reader = JsonProviders.createReader(sku.toString())) {
            return Size.of(ResourceSkuInner.fromJson(reader), "westeurope", true);
        }
    }

    @Test
    void gpuSizeHasAllThatIsTold() throws Exception {
        Size size = read(sku(
                        "Standard_ND96isr_H100_v5",
                        "standardNDSH100v5Family",
                        List.of("1", "2"),
                        Map.of(
                                "vCPUs", "96",
                                "MemoryGB", "1900",
                                "GPUs", "8",
                                "MaxResourceVolumeMB", "1024000",
                                "NvmeDiskSizeInMiB", "27136000",
                                "CpuArchitectureType", "x64",
                                "RdmaEnabled", "True",
                                "LowPriorityCapable", "True",
                                "AcceleratedNetworkingEnabled", "True")))
                .orElseThrow();
        assertThat(size.resources().cpus()).isEqualTo(96);
        assertThat(size.resources().memoryBytes()).isEqualTo(1900 * GIB);
        assertThat(size.resources().gpus()).isEqualTo(8);
        assertThat(size.resources().gpuModel()).isEqualTo("h100");
        assertThat(size.gpuMemoryBytes()).isEqualTo(80 * GIB);
        assertThat(size.resources().localDiskBytes()).isEqualTo(27_136_000L << 20);
        assertThat(size.features()).containsExactlyInAnyOrder("arch:x86_64", "fabric:infiniband", "nvme");
        assertThat(size.zones()).as("InfiniBand is had without a zone only").containsExactly("westeurope");
        assertThat(size.spot()).isTrue();
        assertThat(size.acceleratedNetworking()).isTrue();
        assertThat(size.family()).isEqualTo("standardNDSH100v5Family");
    }

    @Test
    void plainSizeIsSoldByZone() throws Exception {
        Size size = read(sku(
                        "Standard_D2ps_v5",
                        "standardDPSv5Family",
                        List.of("1", "2", "3"),
                        Map.of("vCPUs", "2", "MemoryGB", "7.5", "CpuArchitectureType", "Arm64")))
                .orElseThrow();
        assertThat(size.features()).containsExactly("arch:arm64");
        assertThat(size.resources().memoryBytes()).isEqualTo(15 * GIB / 2);
        assertThat(size.zones()).containsExactlyInAnyOrder("1", "2", "3");
        assertThat(size.spot()).isFalse();
        assertThat(size.resources().gpuModel()).isEmpty();
    }

    @Test
    void constrainedSizeHasTheCpusThatAreLeft() throws Exception {
        Size size = read(sku(
                        "Standard_E4-2s_v5",
                        "standardESv5Family",
                        List.of(),
                        Map.of("vCPUs", "4", "vCPUsAvailable", "2", "MemoryGB", "32")))
                .orElseThrow();
        assertThat(size.resources().cpus()).isEqualTo(2);
        assertThat(size.zones()).containsExactly("westeurope");
    }

    @Test
    void whatIsRestrictedIsLeftOut() throws Exception {
        Map<String, String> told = Map.of("vCPUs", "2", "MemoryGB", "8");
        ObjectNode everywhere = sku("Standard_D2s_v5", "f", List.of("1", "2"), told);
        everywhere
                .withArray("/restrictions")
                .addObject()
                .put("type", "Location")
                .put("reasonCode", "NotAvailable");
        assertThat(read(everywhere)).isEmpty();
        ObjectNode inOne = sku("Standard_D2s_v5", "f", List.of("1", "2"), told);
        ObjectNode zone = inOne.withArray("/restrictions").addObject().put("type", "Zone");
        zone.putObject("restrictionInfo").putArray("zones").add("2");
        assertThat(read(inOne).orElseThrow().zones()).containsExactly("1");
        ObjectNode inAll = sku("Standard_D2s_v5", "f", List.of("2"), told);
        ObjectNode all = inAll.withArray("/restrictions").addObject().put("type", "Zone");
        all.putObject("restrictionInfo").putArray("zones").add("2");
        assertThat(read(inAll)).isEmpty();
        assertThat(read(sku("Premium_LRS", "f", List.of(), told).put("resourceType", "disks")))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "Standard_ND128isr_NDR_GB200_v6, gb200, 192, false",
        "Standard_ND96isr_MI300X_v5, mi300x, 192, false",
        "Standard_ND96isr_H200_v5, h200, 141, false",
        "Standard_ND96isr_H100_v5, h100, 80, false",
        "Standard_NC40ads_H100_v5, h100, 94, false",
        "Standard_NC80adis_H100_v5, h100, 94, false",
        "Standard_ND96amsr_A100_v4, a100, 80, false",
        "Standard_ND96asr_v4, a100, 40, false",
        "Standard_NC24ads_A100_v4, a100, 80, false",
        "Standard_NC16as_T4_v3, t4, 16, false",
        "Standard_ND40rs_v2, v100, 32, false",
        "Standard_NC24rs_v3, v100, 16, false",
        "Standard_NC6s_v3, v100, 16, false",
        "Standard_NC24s_v2, p100, 16, false",
        "Standard_ND24rs, p40, 24, false",
        "Standard_NV6ads_A10_v5, a10, 24, true",
        "Standard_NV18ads_A10_v5, a10, 24, true",
        "Standard_NV36ads_A10_v5, a10, 24, false",
        "Standard_NV72ads_A10_v5, a10, 24, false",
        "Standard_NV12s_v3, m60, 8, false",
        "Standard_NV4as_v4, mi25, 16, true",
        "Standard_NV32as_v4, mi25, 16, false",
    })
    void gpuIsKnownByTheSize(String size, String model, long gib, boolean fraction) {
        GpuTable.Gpu gpu = GpuTable.find(size, "").orElseThrow();
        assertThat(gpu.model()).isEqualTo(model);
        assertThat(gpu.memoryBytes()).isEqualTo(gib * GIB);
        assertThat(gpu.fraction()).isEqualTo(fraction);
    }

    @Test
    void gpuOfNextYearHasNoModel() {
        assertThat(GpuTable.find("Standard_ND1_X9000_v9", "standardNDX9000Family"))
                .isEmpty();
    }
}
