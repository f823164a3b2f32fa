package org.spillway.cloud.azure;

import com.azure.resourcemanager.compute.fluent.models.ResourceSkuInner;
import com.azure.resourcemanager.compute.models.ResourceSkuCapabilities;
import com.azure.resourcemanager.compute.models.ResourceSkuLocationInfo;
import com.azure.resourcemanager.compute.models.ResourceSkuRestrictions;
import com.azure.resourcemanager.compute.models.ResourceSkuRestrictionsType;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.spillway.policy.Resources;

/**
 * A size of virtual machines in one location, as far as this subscription may buy it.
 *
 * @param family under which its quota stands
 * @param zones in which it is for sale; only the location's name where it is sold without a zone
 * @param acceleratedNetworking whether its interfaces can bypass the host
 * @param generations of images that it boots, V1 and V2; empty where nobody says
 * @param threads of each core of the size's own, of which the site wants one; 1 for the size as it is
 */
record Size(
        String name,
        String family,
        Resources resources,
        long gpuMemoryBytes,
        Set<String> features,
        Set<String> zones,
        boolean spot,
        boolean acceleratedNetworking,
        Set<String> generations,
        int threads) {
    static final String INFINIBAND = "fabric:infiniband";
    private static final BigDecimal GIB = BigDecimal.valueOf(1L << 30);
    private static final long MIB = 1L << 20;

    Size {
        features = Set.copyOf(features);
        zones = Set.copyOf(zones);
        generations = Set.copyOf(generations);
    }

    /** CPUs as quotas and bills count them. */
    int counted() {
        return resources.cpus() * threads;
    }

    /** Whether it boots images of that generation, as far as anybody says. */
    boolean boots(String generation) {
        return generations.isEmpty() || generations.contains(generation.toUpperCase(Locale.ROOT));
    }

    /**
     * Empty for what is no size, or is not for sale to this subscription here.
     *
     * @param smt whether each core is to have its threads
     */
    static Optional<Size> of(ResourceSkuInner sku, String location, boolean smt) {
        if (!"virtualMachines".equals(sku.resourceType()) || sku.name() == null) {
            return Optional.empty();
        }
        Map<String, String> told = capabilities(sku);
        Set<String> features = new TreeSet<>();
        features.add("arch:" + ("Arm64".equalsIgnoreCase(told.get("CpuArchitectureType")) ? "arm64" : "x86_64"));
        boolean fast = isTrue(told, "RdmaEnabled");
        if (fast) {
            features.add(INFINIBAND);
        }
        Set<String> zones = zones(sku, location, fast);
        int cpus = number(told, "vCPUsAvailable", number(told, "vCPUs", BigDecimal.ZERO))
                .intValue();
        if (zones.isEmpty() || cpus < 1) {
            return Optional.empty();
        }
        int perCore = number(told, "vCPUsPerCore", BigDecimal.ONE).intValue();
        int threads = smt || perCore < 2 || cpus % perCore != 0 ? 1 : perCore;
        String family = sku.family() == null ? "" : sku.family();
        // A share of a GPU is counted as one, and marked.
        int gpus = number(told, "GPUs", BigDecimal.ZERO)
                .setScale(0, RoundingMode.CEILING)
                .intValue();
        Optional<GpuTable.Gpu> gpu = gpus > 0 ? GpuTable.find(sku.name(), family) : Optional.empty();
        if (gpu.map(GpuTable.Gpu::fraction).orElse(false)) {
            features.add("gpu-fraction");
        }
        long nvme = number(told, "NvmeDiskSizeInMiB", BigDecimal.ZERO).longValue() * MIB;
        if (nvme > 0) {
            features.add("nvme");
        }
        long disk = number(told, "MaxResourceVolumeMB", BigDecimal.ZERO).longValue() * MIB;
        Resources resources = new Resources(
                cpus / threads,
                number(told, "MemoryGB", BigDecimal.ZERO).multiply(GIB).longValue(),
                gpus,
                gpu.map(GpuTable.Gpu::model).orElse(""),
                Math.max(disk, nvme));
        return Optional.of(new Size(
                sku.name(),
                family,
                resources,
                gpu.map(GpuTable.Gpu::memoryBytes).orElse(0L),
                features,
                zones,
                isTrue(told, "LowPriorityCapable"),
                isTrue(told, "AcceleratedNetworkingEnabled"),
                generations(told),
                threads));
    }

    private static Set<String> generations(Map<String, String> told) {
        Set<String> generations = new TreeSet<>();
        for (String each : told.getOrDefault("HyperVGenerations", "").split(",", -1)) {
            if (!each.isBlank()) {
                generations.add(each.strip().toUpperCase(Locale.ROOT));
            }
        }
        return generations;
    }

    private static Map<String, String> capabilities(ResourceSkuInner sku) {
        Map<String, String> told = new HashMap<>();
        for (ResourceSkuCapabilities each : orEmpty(sku.capabilities())) {
            if (each.name() != null && each.value() != null) {
                told.put(each.name(), each.value());
            }
        }
        return told;
    }

    /** InfiniBand needs an availability set, which is of the whole location. */
    private static Set<String> zones(ResourceSkuInner sku, String location, boolean infiniband) {
        Set<String> zones = new TreeSet<>();
        for (ResourceSkuLocationInfo info : orEmpty(sku.locationInfo())) {
            if (location.equalsIgnoreCase(info.location())) {
                zones.addAll(orEmpty(info.zones()));
            }
        }
        boolean zonal = !zones.isEmpty();
        for (ResourceSkuRestrictions restriction : orEmpty(sku.restrictions())) {
            if (ResourceSkuRestrictionsType.LOCATION.equals(restriction.type())) {
                return Set.of();
            }
            if (restriction.restrictionInfo() != null) {
                zones.removeAll(orEmpty(restriction.restrictionInfo().zones()));
            }
        }
        return !zonal || infiniband ? Set.of(location) : zones;
    }

    private static boolean isTrue(Map<String, String> told, String key) {
        return "True".equalsIgnoreCase(told.get(key));
    }

    private static BigDecimal number(Map<String, String> told, String key, BigDecimal otherwise) {
        try {
            String value = told.get(key);
            return value == null ? otherwise : new BigDecimal(value).max(BigDecimal.ZERO);
        } catch (NumberFormatException unreadable) {
            return otherwise;
        }
    }

    static <T> List<T> orEmpty(List<T> list) {
        return list == null ? List.of() : list;
    }
}
