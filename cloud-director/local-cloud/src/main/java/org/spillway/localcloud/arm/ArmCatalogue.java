package org.spillway.localcloud.arm;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.MachineType;
import org.spillway.policy.Market;

/** Sizes, quota, prices and images: the local-cloud's types in the provider's words. */
final class ArmCatalogue {
    private static final long GIB = 1L << 30;
    private static final long MIB = 1L << 20;
    private static final Set<String> CURRENCIES = Set.of("EUR", "GBP");
    private final CloudBehind cloud;

    ArmCatalogue(CloudBehind cloud) {
        this.cloud = cloud;
    }

    ObjectNode skus() {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        ArrayNode all = body.putArray("value");
        // A resource that is no size is listed too.
        all.addObject().put("resourceType", "disks").put("name", "Premium_LRS").put("tier", "Premium");
        for (MachineType type : cloud.types()) {
            ObjectNode sku = all.addObject()
                    .put("resourceType", "virtualMachines")
                    .put("name", type.name())
                    .put("tier", "Standard")
                    .put("size", type.name())
                    .put("family", family(type));
            sku.putArray("locations").add(ArmFront.LOCATION);
            ObjectNode info = sku.putArray("locationInfo").addObject().put("location", ArmFront.LOCATION);
            cloud.zones().forEach(info.putArray("zones")::add);
            capabilities(cloud, type)
                    .forEach((name, value) -> sku.withArray("/capabilities")
                            .addObject()
                            .put("name", name)
                            .put("value", value));
            sku.putArray("restrictions");
        }
        return body;
    }

    private static Map<String, String> capabilities(CloudBehind cloud, MachineType type) {
        Map<String, String> all = new TreeMap<>();
        all.put("vCPUs", Integer.toString(type.resources().cpus()));
        all.put("vCPUsPerCore", Integer.toString(threads(type)));
        all.put("MemoryGB", Long.toString(type.resources().memoryBytes() / GIB));
        all.put("MaxResourceVolumeMB", Long.toString(type.resources().localDiskBytes() / MIB));
        all.put("CpuArchitectureType", type.features().contains("arch:arm64") ? "Arm64" : "x64");
        all.put("RdmaEnabled", type.features().contains("fabric:infiniband") ? "True" : "False");
        all.put("LowPriorityCapable", "True");
        all.put("AcceleratedNetworkingEnabled", "False");
        all.put("HyperVGenerations", ArmBroken.IMAGE_GENERATION.is(cloud) ? "V2" : "V1,V2");
        if (type.resources().gpus() > 0) {
            all.put("GPUs", Integer.toString(type.resources().gpus()));
        }
        return all;
    }

    /** Threads of a core: x64 sizes of an even number of CPUs have two, as most of Azure's. */
    static int threads(MachineType type) {
        return type.features().contains("arch:arm64") || type.resources().cpus() % 2 == 1 ? 1 : 2;
    }

    /** The API does not tell a GPU's model: its family does. */
    static String family(MachineType type) {
        return switch (type.resources().gpus() > 0 ? type.resources().gpuModel() : "none") {
            case "none" -> "standardLocalFamily";
            case "h100" -> "standardNDSH100v5Family";
            case "h200" -> "standardNDSH200v5Family";
            case "a100" -> "standardNDAMSv4_A100Family";
            case "v100" -> "standardNCSv3Family";
            default -> "standardN" + type.resources().gpuModel() + "Family";
        };
    }

    /**
     * No location but ours has prices, which are the same numbers in each currency that is known.
     *
     * @param query the call's filter
     * @param quoted the currency in quotes; empty for none
     */
    ObjectNode prices(String query, String quoted) {
        String asked = quoted.replace("'", "");
        String currency = CURRENCIES.contains(asked) ? asked : "USD";
        ObjectNode body = JsonNodeFactory.instance.objectNode().put("BillingCurrency", currency);
        ArrayNode items = body.putArray("Items");
        if (query.contains("'" + ArmFront.LOCATION + "'") && query.contains("'Virtual Machines'")) {
            for (MachineType type : cloud.types()) {
                item(items, currency, type, "", "", type.price(Market.ON_DEMAND).micros());
                item(items, currency, type, "", " Spot", type.price(Market.SPOT).micros());
                // Another system on the same size costs more.
                item(
                        items,
                        currency,
                        type,
                        " Windows",
                        "",
                        2 * type.price(Market.ON_DEMAND).micros());
            }
        }
        body.putNull("NextPageLink");
        return body.put("Count", items.size());
    }

    private static void item(
            ArrayNode items, String currency, MachineType type, String system, String kind, long micros) {
        items.addObject()
                .put("currencyCode", currency)
                .put("retailPrice", BigDecimal.valueOf(micros, 6))
                .put("armRegionName", ArmFront.LOCATION)
                .put("armSkuName", type.name())
                .put("productName", "Virtual Machines Local Series" + system)
                .put("skuName", type.name() + kind)
                .put("serviceName", "Virtual Machines")
                .put("unitOfMeasure", "1 Hour")
                .put("type", "Consumption");
    }

    /** @param words publisher, offer, sku */
    ArrayNode imageVersions(List<String> words) throws ArmFault {
        if (!words.getFirst().equalsIgnoreCase("Canonical")) {
            throw new ArmFault(404, "PlatformImageNotFound", "There is no image of publisher " + words.getFirst());
        }
        ArrayNode all = JsonNodeFactory.instance.arrayNode();
        all.addObject().put("name", "24.04.202611010").put("location", ArmFront.LOCATION);
        return all;
    }

    /** "Virtual Machine Images - Get". @param words publisher, offer, sku, version */
    ObjectNode image(List<String> words) throws ArmFault {
        ObjectNode found = (ObjectNode) imageVersions(words).path(0);
        ObjectNode properties = found.putObject("properties")
                .put("hyperVGeneration", ArmBroken.IMAGE_GENERATION.is(cloud) ? "V1" : "V2")
                .put("architecture", ArmBroken.IMAGE_ARCHITECTURE.is(cloud) ? "Arm64" : "x64");
        properties.putObject("osDiskImage").put("operatingSystem", "Linux").put("sizeInGb", 30);
        if (ArmBroken.IMAGE_PLAN.is(cloud)) {
            properties
                    .putObject("plan")
                    .put("publisher", words.get(0))
                    .put("product", words.get(1))
                    .put("name", words.get(2));
        }
        return found;
    }
}
