package org.spillway.localcloud;

import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.spillway.cloud.Instance;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;

/** Launches get of the types of the configuration what faults and capacity leave. Not for two launches at once. */
final class Allotment {
    private static final int SSH_PORT = 2222;
    private static final int MAX_INSTANCES = 100_000;

    private final LocalCloudConfig config;
    private final Addresses addresses;
    private final FaultBox faults;
    private final Map<String, Machine> machines;
    private final Set<String> usedAddresses;

    /** @param machines all that there are @param usedAddresses of all, to which those of new ones are added */
    Allotment(
            LocalCloudConfig config,
            Addresses addresses,
            FaultBox faults,
            Map<String, Machine> machines,
            Set<String> usedAddresses) {
        this.config = config;
        this.addresses = addresses;
        this.faults = faults;
        this.machines = machines;
        this.usedAddresses = usedAddresses;
    }

    MachineType check(LaunchCommand.Choice choice, String fabricGroup) throws ApiError {
        MachineType type = config.type(choice.type())
                .orElseThrow(() -> ApiError.invalid("there is no type '" + choice.type() + "'"));
        if (!config.zones().contains(choice.zone())) {
            throw ApiError.invalid("there is no zone '" + choice.zone() + "'; there are " + config.zones());
        }
        if (!fabricGroup.isEmpty() && type.features().stream().noneMatch(feature -> feature.startsWith("fabric:"))) {
            throw ApiError.invalid("type '" + choice.type() + "' has no fabric to group by");
        }
        return type;
    }

    /** A choice's yield of instances that are still missing. @param made by the choices before it */
    CloudBehind.Part of(LaunchCommand.Choice choice, String fabricGroup, int missing, int made) throws ApiError {
        try {
            check(choice, fabricGroup);
        } catch (ApiError wrong) {
            String why = String.valueOf(wrong.getMessage());
            return new CloudBehind.Part(choice.zone(), choice.type(), 0, Reason.INVALID.name(), why);
        }
        Optional<Fault> refuse = faults.take(Fault.Kind.REFUSE, choice.type(), choice.zone());
        if (refuse.isPresent()) {
            return new CloudBehind.Part(
                    choice.zone(), choice.type(), 0, refuse.get().reason().name(), "refused on request");
        }
        MachineType type = check(choice, "");
        int room = Math.min(capacityLeft(type, choice.zone()), MAX_INSTANCES - machines.size() - made);
        Optional<Fault> partial = faults.take(Fault.Kind.PARTIAL, choice.type(), choice.zone());
        int count =
                Math.min(missing, Math.min(room, partial.map(Fault::instances).orElse(Integer.MAX_VALUE)));
        if (count == missing) {
            return new CloudBehind.Part(choice.zone(), choice.type(), count, "", "");
        }
        String reason = partial.map(fault -> fault.reason().name()).orElse("CAPACITY");
        return new CloudBehind.Part(
                choice.zone(),
                choice.type(),
                count,
                reason,
                "zone " + choice.zone() + " has " + count + " of " + choice.type());
    }

    int capacityLeft(MachineType type, String zone) {
        long used = machines.values().stream()
                .map(Machine::instance)
                .filter(i -> i.type().equals(type.name()) && i.zone().equals(zone) && i.occupiesCapacity())
                .count();
        return (int) Math.max(0, type.capacityPerZone() - used);
    }

    static String newId() {
        return "i-" + UUID.randomUUID().toString().replace("-", "").substring(0, 17);
    }

    InstanceRecord describe(LaunchCommand command, LaunchCommand.Choice choice, String id, String given, Instant now)
            throws ApiError, IOException {
        MachineType type = check(choice, command.fabricGroup());
        Instant visible = faults.take(Fault.Kind.LATE_LISTING, type.name(), choice.zone())
                .map(fault -> now.plusMillis((long) (fault.seconds() * 1000)))
                .orElse(now);
        boolean never =
                faults.take(Fault.Kind.BOOTS_NEVER, type.name(), choice.zone()).isPresent();
        double die = faults.take(Fault.Kind.DIE, type.name(), choice.zone())
                .map(Fault::seconds)
                .orElse(-1.0);
        Map<String, String> tags = new HashMap<>(command.tags() == null ? Map.of() : command.tags());
        if (!command.fabricGroup().isEmpty()) {
            tags.put(LocalCloud.TAG_FABRIC_GROUP, command.fabricGroup());
        }
        String failure = faults.take(Fault.Kind.FAILS_LATER, type.name(), choice.zone())
                .map(fault -> fault.reason().name())
                .orElse("");
        String address = given.isEmpty() ? addresses.next(usedAddresses) : given;
        usedAddresses.add(address);
        return new InstanceRecord(
                id,
                choice.zone(),
                type.name(),
                command.market() == null ? Market.ON_DEMAND : command.market(),
                Instance.State.PENDING,
                address,
                SSH_PORT,
                now,
                never ? InstanceRecord.NEVER : now.plus(type.bootTime()),
                tags,
                type.process() && !"false".equals(tags.get("process")),
                false,
                die,
                visible,
                InstanceRecord.NEVER,
                0,
                "launched",
                failure,
                InstanceRecord.Ending.NONE);
    }
}
