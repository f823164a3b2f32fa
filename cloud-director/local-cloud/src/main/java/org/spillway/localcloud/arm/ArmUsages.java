package org.spillway.localcloud.arm;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.MachineType;
import org.spillway.policy.Market;

/** Quotas of the location in vCPUs, with what is used of them ("Usage - List" of the compute provider). */
final class ArmUsages {
    private static final int PLENTY = 100_000;
    private final CloudBehind cloud;

    ArmUsages(CloudBehind cloud) {
        this.cloud = cloud;
    }

    /** Nothing at all before the provider is registered. */
    ObjectNode told() {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        ArrayNode all = body.putArray("value");
        if (ArmBroken.UNREGISTERED_COMPUTE.is(cloud)) {
            return body;
        }
        usage(all, "cores", "Total Regional vCPUs", PLENTY, used(false, type -> true));
        usage(
                all,
                "lowPriorityCores",
                "Total Regional Spot vCPUs",
                ArmBroken.SPOT_QUOTA.is(cloud) ? 0 : PLENTY,
                used(true, type -> true));
        cloud.types().stream()
                .map(ArmCatalogue::family)
                .distinct()
                .forEach(family -> usage(
                        all,
                        family,
                        family,
                        limit(family),
                        used(false, type -> ArmCatalogue.family(type).equals(family))));
        return body;
    }

    private static void usage(ArrayNode all, String name, String text, long limit, long used) {
        ObjectNode usage =
                all.addObject().put("unit", "Count").put("currentValue", used).put("limit", limit);
        usage.putObject("name").put("value", name).put("localizedValue", text);
    }

    private long limit(String family) {
        boolean gpus = cloud.types().stream()
                .anyMatch(type ->
                        type.resources().gpus() > 0 && ArmCatalogue.family(type).equals(family));
        return gpus && ArmBroken.GPU_QUOTA.is(cloud) ? 0 : PLENTY;
    }

    private long used(boolean spot, Predicate<MachineType> counts) {
        return cloud.list(Map.of(), "", Integer.MAX_VALUE).stream()
                .filter(each -> each.occupiesCapacity() && (each.market() == Market.SPOT) == spot)
                .flatMap(each ->
                        cloud.types().stream().filter(type -> type.name().equals(each.type()) && counts.test(type)))
                .mapToLong(type -> type.resources().cpus())
                .sum();
    }

    /** The sentence as "Resolve errors for resource quotas" has it. */
    void check(String size, boolean spot) throws ArmFault {
        Optional<MachineType> found =
                cloud.types().stream().filter(type -> type.name().equals(size)).findFirst();
        if (found.isEmpty()) {
            return;
        }
        String family = ArmCatalogue.family(found.get());
        boolean full = spot ? ArmBroken.SPOT_QUOTA.is(cloud) : limit(family) == 0;
        if (full) {
            int cpus = found.get().resources().cpus();
            throw new ArmFault(
                    409,
                    "OperationNotAllowed",
                    "Operation could not be completed as it results in exceeding approved "
                            + (spot ? "LowPriorityCores" : family + " Cores")
                            + " quota. Additional details - Deployment Model: Resource Manager, Location: "
                            + ArmFront.LOCATION + ", Current Limit: 0, Current Usage: 0, Additional Required: " + cpus
                            + ", (Minimum) New Limit Required: " + cpus + ".");
        }
    }
}
