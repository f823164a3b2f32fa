package org.spillway.cloud.azure;

import com.azure.resourcemanager.compute.fluent.models.VirtualMachineInner;
import com.azure.resourcemanager.compute.models.InstanceViewStatus;
import com.azure.resourcemanager.compute.models.VirtualMachinePriorityTypes;
import com.azure.resourcemanager.network.fluent.models.NetworkInterfaceInner;
import com.azure.resourcemanager.network.fluent.models.NetworkInterfaceIpConfigurationInner;
import com.azure.resourcemanager.network.fluent.models.PublicIpAddressInner;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.Instance;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

/** A machine as three listings together show it. Ids differ in case from listing to listing. */
final class Machines {
    private static final String FAILED = "ProvisioningState/failed/";
    private static final String POWER = "PowerState/";

    private Machines() {}

    /** Of a machine, by its lower-case id. @param power such as {@code running}; empty if not told @param error code */
    record Status(String power, String error, String message) {
        static final Status NONE = new Status("", "", "");
    }

    static Map<String, Status> statuses(List<VirtualMachineInner> listed) {
        Map<String, Status> all = new HashMap<>();
        for (VirtualMachineInner machine : listed) {
            if (machine.instanceView() == null) {
                continue;
            }
            String power = "";
            String error = "";
            String message = "";
            for (InstanceViewStatus status : Size.orEmpty(machine.instanceView().statuses())) {
                String code = status.code() == null ? "" : status.code();
                if (code.startsWith(POWER)) {
                    power = code.substring(POWER.length());
                } else if (code.regionMatches(true, 0, FAILED, 0, FAILED.length())) {
                    error = code.substring(FAILED.length());
                    message = status.message() == null ? "" : status.message();
                }
            }
            all.put(key(machine.id()), new Status(power, error, message));
        }
        return all;
    }

    /** Where each machine is reached, by its lower-case id: in public if it can be. */
    static Map<String, String> addresses(List<NetworkInterfaceInner> nics, List<PublicIpAddressInner> publicOnes) {
        Map<String, String> known = new HashMap<>();
        for (PublicIpAddressInner each : publicOnes) {
            if (each.ipAddress() != null) {
                known.put(key(each.id()), each.ipAddress());
            }
        }
        Map<String, String> all = new HashMap<>();
        for (NetworkInterfaceInner nic : nics) {
            if (nic.virtualMachine() == null) {
                continue;
            }
            for (NetworkInterfaceIpConfigurationInner ip : Size.orEmpty(nic.ipConfigurations())) {
                String seen = ip.publicIpAddress() == null
                        ? null
                        : known.get(key(ip.publicIpAddress().id()));
                String address = seen != null ? seen : ip.privateIpAddress();
                if (address != null
                        && (seen != null
                                || !all.containsKey(key(nic.virtualMachine().id())))) {
                    all.put(key(nic.virtualMachine().id()), address);
                }
            }
        }
        return all;
    }

    static boolean hasPublic(List<NetworkInterfaceInner> nics) {
        return nics.stream()
                .flatMap(nic -> Size.orEmpty(nic.ipConfigurations()).stream())
                .anyMatch(ip -> ip.publicIpAddress() != null);
    }

    /** Of one machine: for the head, and for its neighbours. */
    record Addresses(String outside, String inside) {}

    static Instance instance(
            String site, AzureSettings settings, VirtualMachineInner machine, Status status, Addresses reached) {
        Instance.State state = state(String.valueOf(machine.provisioningState()), status.power());
        return new Instance(
                machine.name(),
                offering(site, settings.location(), machine),
                state,
                reached.outside(),
                settings.sshPort(),
                machine.timeCreated() == null
                        ? Instant.EPOCH
                        : machine.timeCreated().toInstant(),
                machine.tags() == null ? Map.of() : machine.tags(),
                failure(String.valueOf(machine.provisioningState()), status),
                reached.inside(),
                "");
    }

    static Instance.State state(String provisioning, String power) {
        return switch (provisioning.toLowerCase(Locale.ROOT)) {
            case "deleting" -> Instance.State.TERMINATING;
            // A machine that never came up has no power; one that failed later may be running.
            case "failed" -> power.isEmpty() ? Instance.State.STOPPED : power(power);
            case "creating" -> Instance.State.PENDING;
            default -> power(power);
        };
    }

    private static Instance.State power(String power) {
        return switch (power) {
            case "starting" -> Instance.State.PENDING;
            case "stopping", "deallocating" -> Instance.State.STOPPING;
            case "stopped", "deallocated" -> Instance.State.STOPPED;
            // Not told, or a word of next year: it costs money until something else is said.
            default -> Instance.State.RUNNING;
        };
    }

    private static LaunchOutcome.@Nullable Refused failure(String provisioning, Status status) {
        if (!provisioning.equalsIgnoreCase("failed") || !status.power().isEmpty()) {
            return null;
        }
        Reason reason = ArmErrors.reason(status.error(), status.message()).orElse(Reason.INVALID);
        return new LaunchOutcome.Refused(reason, status.error() + ": " + Arm.line(status.message()));
    }

    static OfferingId offering(String site, String location, VirtualMachineInner machine) {
        List<String> zones = Size.orEmpty(machine.zones());
        boolean spot = VirtualMachinePriorityTypes.SPOT.equals(machine.priority());
        boolean reserved = machine.capacityReservation() != null
                && machine.capacityReservation().capacityReservationGroup() != null;
        return new OfferingId(
                site,
                zones.isEmpty() ? location : zones.getFirst(),
                machine.hardwareProfile() == null || machine.hardwareProfile().vmSize() == null
                        ? ""
                        : machine.hardwareProfile().vmSize().toString(),
                spot ? Market.SPOT : reserved ? Market.RESERVED : Market.ON_DEMAND);
    }

    static String key(@Nullable String id) {
        return id == null ? "" : id.toLowerCase(Locale.ROOT);
    }

    /** The last name in an id, in lower case. */
    static String lastOf(@Nullable String id) {
        String key = key(id);
        return key.substring(key.lastIndexOf('/') + 1);
    }
}
