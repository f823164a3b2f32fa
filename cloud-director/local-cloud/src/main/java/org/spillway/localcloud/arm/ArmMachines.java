package org.spillway.localcloud.arm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.spillway.cloud.Instance;
import org.spillway.localcloud.ApiError;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.Fault;
import org.spillway.localcloud.InstanceRecord;
import org.spillway.localcloud.LaunchCommand;
import org.spillway.localcloud.MachineType;
import org.spillway.policy.Market;

/** Virtual machines: an instance of the local-cloud under the machine's name, and what was made with it. */
final class ArmMachines {
    static final String TYPE = "Microsoft.Compute/virtualMachines";
    /** How long a machine may stay in creation; what boots never is said to be there all the same. */
    private static final Duration CREATION = Duration.ofSeconds(5);

    private static final String HIDDEN = "_hidden";
    private final CloudBehind cloud;
    private final ArmStore store;
    private final ArmOperations operations;
    private final ArmGates gates;
    private final Set<String> making = ConcurrentHashMap.newKeySet();

    ArmMachines(CloudBehind cloud, ArmStore store, ArmOperations operations) {
        this.cloud = cloud;
        this.store = store;
        this.operations = operations;
        this.gates = new ArmGates(cloud);
    }

    /** Instances of launches that were cut before their machine was written down. */
    void dropUnknown(String subscription) throws IOException {
        List<String> known = store.startingWith(ArmId.key("/subscriptions/" + subscription)).stream()
                .filter(body -> TYPE.equalsIgnoreCase(body.path("type").asText()))
                .map(body -> body.path("name").asText())
                .toList();
        cloud.terminate(cloud.list(Map.of(), "", Integer.MAX_VALUE).stream()
                .map(InstanceRecord::id)
                .filter(id -> !known.contains(id))
                .toList());
    }

    ArmAnswer put(ArmId id, JsonNode body, boolean onlyNew) throws ArmFault, IOException {
        if (!making.add(id.key())) {
            throw new ArmFault(409, "Conflict", "Another call for " + id.name() + " is under way.");
        }
        try {
            return putAlone(id, body, onlyNew);
        } finally {
            making.remove(id.key());
        }
    }

    private ArmAnswer putAlone(ArmId id, JsonNode body, boolean onlyNew) throws ArmFault, IOException {
        Optional<ObjectNode> before = find(id);
        if (before.isPresent()) {
            return again(id, before.get(), body, onlyNew);
        }
        if (cloud.find(id.name()).isPresent()) {
            throw new ArmFault(409, "Conflict", "The name " + id.name() + " is not free yet.");
        }
        JsonNode properties = body.path("properties");
        String size = properties.at("/hardwareProfile/vmSize").asText();
        boolean zonal = body.path("zones").isArray() && !body.path("zones").isEmpty();
        MachineType type = cloud.types().stream()
                .filter(each -> each.name().equals(size))
                .findFirst()
                .orElseThrow(
                        () -> ArmFault.invalid("vmSize", "The value '" + size + "' is not a size of this location."));
        checkProcessors(type, properties.at("/hardwareProfile/vmSizeProperties"));
        if (zonal && !properties.path("availabilitySet").isMissingNode()) {
            throw new ArmFault(400, "BadRequest", "An availability set and a zone do not go together.");
        }
        checkSystem(properties.path("osProfile"));
        if (cloud.manner().strict()) {
            ArmStrict.check(id.name(), body);
        }
        new ArmReservations(store).checkMachine(body);
        String zone =
                zonal ? body.path("zones").path(0).asText() : cloud.zones().getFirst();
        Map<String, String> tags = new HashMap<>();
        body.path("tags")
                .properties()
                .forEach(tag -> tags.put(tag.getKey(), tag.getValue().asText()));
        Optional<ArmGates.Refusal> refusal = gates.pass(id.name(), size, zone, tags);
        String note = "1 " + size + " in " + zone + ": " + id.name();
        if (refusal.isPresent()
                && (refusal.get().atOnce() || !refusal.get().reason().equals("CAPACITY"))) {
            throw ArmFault.of(refusal.get().reason(), "refused on request");
        }
        if (refusal.isPresent()) {
            return failing(id, body, "refused on request", note);
        }
        String data = properties.at("/osProfile/customData").asText("");
        LaunchCommand command = new LaunchCommand(
                "arm-" + UUID.randomUUID(),
                zone,
                size,
                properties.path("priority").asText().equals("Spot") ? Market.SPOT : Market.ON_DEMAND,
                1,
                "",
                new String(Base64.getDecoder().decode(data), StandardCharsets.UTF_8),
                tags,
                List.of(),
                "");
        InstanceRecord instance;
        try {
            instance = cloud.launch(command, List.of(id.name())).instances().getFirst();
        } catch (ApiError no) {
            if (no.code().equals("CAPACITY")) {
                return failing(id, body, String.valueOf(no.getMessage()), note);
            }
            throw ArmFault.of(no);
        }
        ObjectNode made = create(id, body, instance.address(), "");
        Optional<Fault> fault =
                cloud.strikes(Fault.Kind.LOST, size, zone).or(() -> cloud.strikes(Fault.Kind.SLOW, size, zone));
        String operation = operations.start(() -> created(id.name()));
        return new ArmAnswer(201, view(made, false), operation, note, fault);
    }

    /** VMSizeProperties: of both the size has so many at most. */
    private static void checkProcessors(MachineType type, JsonNode wanted) throws ArmFault {
        int each = wanted.path("vCPUsPerCore").asInt(ArmCatalogue.threads(type));
        int all = wanted.path("vCPUsAvailable").asInt(1);
        int most = type.resources().cpus() / ArmCatalogue.threads(type) * each;
        if (each < 1 || each > ArmCatalogue.threads(type) || all < 1 || all > most) {
            throw ArmFault.invalid(
                    "vmSizeProperties", all + " vCPUs, " + each + " per core, are not possible with " + type.name());
        }
    }

    private static void checkSystem(JsonNode system) throws ArmFault {
        String name = system.path("computerName").asText();
        if (!name.matches("[A-Za-z0-9][A-Za-z0-9-]{0,63}")) {
            throw ArmFault.invalid("computerName", "The value '" + name + "' is not a computer's name.");
        }
        boolean noPassword =
                system.at("/linuxConfiguration/disablePasswordAuthentication").asBoolean(false);
        if (noPassword
                && system.at("/linuxConfiguration/ssh/publicKeys/0/keyData")
                        .asText()
                        .isEmpty()) {
            throw ArmFault.invalid(
                    "linuxConfiguration.ssh.publicKeys", "Authentication is by a key, and there is none.");
        }
    }

    private ArmOperations.@org.jspecify.annotations.Nullable Failure created(String name) {
        Optional<InstanceRecord> found = cloud.find(name);
        if (found.isEmpty()) {
            return new ArmOperations.Failure("OperationPreempted", "The machine was deleted.");
        }
        InstanceRecord instance = found.get();
        if (instance.hasFailed()) {
            return failure(instance);
        }
        return isCreating(instance) ? null : ArmOperations.Failure.NONE;
    }

    private static ArmOperations.Failure failure(InstanceRecord instance) {
        return instance.failure().equals("CAPACITY")
                ? new ArmOperations.Failure("AllocationFailed", "Allocation failed: " + instance.reason())
                : new ArmOperations.Failure(
                        ArmFault.of(instance.failure(), "").code(),
                        String.valueOf(ArmFault.of(instance.failure(), instance.reason())
                                .getMessage()));
    }

    private boolean isCreating(InstanceRecord instance) {
        return instance.stateAt(cloud.now()) == Instance.State.PENDING
                && !instance.userDataDone()
                && cloud.now().isBefore(instance.launchedAt().plus(CREATION));
    }

    /** Accepted, and then there is no room: the machine stays, without power, until it is deleted. */
    private ArmAnswer failing(ArmId id, JsonNode body, String why, String note) throws IOException {
        ObjectNode made = create(id, body, "", why);
        boolean[] asked = new boolean[1];
        String operation = operations.start(() -> {
            boolean first = !asked[0];
            asked[0] = true;
            return first ? null : new ArmOperations.Failure("AllocationFailed", "Allocation failed: " + why);
        });
        return new ArmAnswer(201, view(made, false), operation, note + " fails", Optional.empty());
    }

    private ArmAnswer again(ArmId id, ObjectNode old, JsonNode body, boolean onlyNew) throws ArmFault {
        if (onlyNew) {
            throw new ArmFault(412, "PreconditionFailed", "The resource " + id.name() + " exists already.");
        }
        boolean same =
                old.at("/properties/hardwareProfile/vmSize").equals(body.at("/properties/hardwareProfile/vmSize"))
                        && old.at("/" + HIDDEN + "/data").asText().equals(fingerprint(body));
        if (!same) {
            throw new ArmFault(
                    409, "PropertyChangeNotAllowed", "Changing the machine " + id.name() + " is not allowed.");
        }
        return ArmAnswer.ok(view(old, false), "same " + id.name());
    }

    private static String fingerprint(JsonNode body) {
        return Integer.toHexString(
                body.at("/properties/osProfile/customData").asText("").hashCode());
    }

    private ObjectNode create(ArmId id, JsonNode body, String address, String failure) throws IOException {
        ObjectNode machine = (ObjectNode) body.deepCopy();
        ArmResources.identify(machine, id);
        ObjectNode properties = machine.withObject("/properties");
        ((ObjectNode) properties.path("osProfile")).remove(List.of("customData", "adminPassword"));
        properties.put("vmId", UUID.randomUUID().toString());
        properties.put("timeCreated", cloud.now().toString());
        ObjectNode hidden =
                machine.putObject(HIDDEN).put("data", fingerprint(body)).put("failure", failure);
        Map<String, ObjectNode> all = new LinkedHashMap<>();
        ArrayNode parts = hidden.putArray("parts");
        if (failure.isEmpty()) {
            new ArmParts(id, machine).make(address).forEach((key, part) -> {
                parts.add(key);
                all.put(key, part);
            });
        }
        all.put(id.key(), machine);
        store.put(all);
        return machine;
    }

    /** Also takes away what has ended by itself. */
    Optional<ObjectNode> find(ArmId id) throws IOException {
        Optional<ObjectNode> machine = store.find(id.key());
        return machine.isPresent() && reap(machine.get()) ? Optional.empty() : machine;
    }

    List<ObjectNode> all(String prefix) throws IOException {
        List<ObjectNode> all = new ArrayList<>();
        for (ObjectNode body : List.copyOf(store.startingWith(prefix))) {
            if (TYPE.equalsIgnoreCase(body.path("type").asText()) && !reap(body) && isVisible(body)) {
                all.add(body);
            }
        }
        return all;
    }

    private boolean isVisible(ObjectNode machine) {
        Optional<InstanceRecord> instance = cloud.find(machine.path("name").asText());
        return instance.isEmpty() || !cloud.now().isBefore(instance.get().visibleAt());
    }

    private boolean reap(ObjectNode machine) throws IOException {
        boolean failed = !machine.at("/" + HIDDEN + "/failure").asText().isEmpty();
        Optional<InstanceRecord> instance = cloud.find(machine.path("name").asText());
        if (failed || (instance.isPresent() && instance.get().state() != Instance.State.TERMINATED)) {
            return false;
        }
        remove(machine);
        return true;
    }

    private void remove(ObjectNode machine) throws IOException {
        List<String> keys = new ArrayList<>(List.of(ArmId.key(machine.path("id").asText())));
        machine.at("/" + HIDDEN + "/parts").forEach(part -> keys.add(part.asText()));
        store.remove(keys);
    }

    ArmAnswer delete(ArmId id) throws IOException {
        Optional<ObjectNode> machine = find(id);
        if (machine.isEmpty()) {
            return ArmAnswer.nothing(204, "no " + id.name());
        }
        if (cloud.find(id.name()).isEmpty()) {
            remove(machine.get());
            return ArmAnswer.accepted(operations.start(() -> ArmOperations.Failure.NONE), id.name());
        }
        cloud.terminate(List.of(id.name()));
        return ArmAnswer.accepted(
                operations.start(() -> cloud.find(id.name())
                                .filter(left -> left.state() != Instance.State.TERMINATED)
                                .isPresent()
                        ? null
                        : ArmOperations.Failure.NONE),
                id.name());
    }

    ArmAnswer act(ArmId id, String action) throws ArmFault, IOException {
        ObjectNode machine = find(id).orElseThrow(() -> ArmFault.notFound(id.text()));
        switch (action.toLowerCase(Locale.ROOT)) {
            case "deallocate" -> cloud.stop(List.of(id.name()));
            case "start" -> {
                try {
                    cloud.start(List.of(id.name()));
                } catch (ApiError no) {
                    ArmOperations.Failure failure =
                            new ArmOperations.Failure("AllocationFailed", String.valueOf(no.getMessage()));
                    return ArmAnswer.accepted(operations.start(() -> failure), id.name());
                }
            }
            default -> throw ArmFault.notFound(machine.path("id").asText() + "/" + action);
        }
        return ArmAnswer.accepted(operations.start(() -> ArmOperations.Failure.NONE), id.name());
    }

    /** Neither failed nor on its way out. */
    boolean isLive(ObjectNode stored) {
        return !Set.of("Deleting", "Failed")
                .contains(
                        view(stored, false).at("/properties/provisioningState").asText());
    }

    /** @param ended whether it is said to be on its way out, which is all that this provider says of one that has ended */
    ObjectNode view(ObjectNode stored, boolean statuses, boolean ended) {
        ObjectNode machine = view(stored, statuses);
        if (ended) {
            machine.withObject("/properties").put("provisioningState", "Deleting");
        }
        return machine;
    }

    /** As the provider tells it. @param statuses with what changes from minute to minute */
    ObjectNode view(ObjectNode stored, boolean statuses) {
        ObjectNode machine = stored.deepCopy();
        String failure = machine.at("/" + HIDDEN + "/failure").asText();
        machine.remove(HIDDEN);
        ObjectNode properties = machine.withObject("/properties");
        Optional<InstanceRecord> instance = cloud.find(machine.path("name").asText());
        ArmOperations.Failure failed = ArmOperations.Failure.NONE;
        String provisioning = "Succeeded";
        if (!failure.isEmpty()) {
            failed = new ArmOperations.Failure("AllocationFailed", "Allocation failed: " + failure);
        } else if (instance.isPresent() && instance.get().hasFailed()) {
            failed = failure(instance.get());
        } else if (instance.isPresent() && instance.get().state() == Instance.State.TERMINATING) {
            provisioning = "Deleting";
        } else if (instance.isPresent() && isCreating(instance.get())) {
            provisioning = "Creating";
        }
        properties.put("provisioningState", failed.code().isEmpty() ? provisioning : "Failed");
        if (statuses) {
            ArrayNode list = properties.putObject("instanceView").putArray("statuses");
            status(list, failed, provisioning);
            if (failed.code().isEmpty() && instance.isPresent()) {
                list.addObject()
                        .put("code", "PowerState/" + power(instance.get()))
                        .put("level", "Info");
            }
        }
        return machine;
    }

    private static void status(ArrayNode list, ArmOperations.Failure failed, String provisioning) {
        if (failed.code().isEmpty()) {
            list.addObject()
                    .put("code", "ProvisioningState/" + provisioning.toLowerCase(Locale.ROOT))
                    .put("level", "Info");
        } else {
            list.addObject()
                    .put("code", "ProvisioningState/failed/" + failed.code())
                    .put("level", "Error")
                    .put("message", failed.message());
        }
    }

    private String power(InstanceRecord instance) {
        return switch (instance.stateAt(cloud.now())) {
            case PENDING -> "starting";
            case RUNNING, TERMINATING -> "running";
            case STOPPING -> "deallocating";
            case STOPPED, TERMINATED -> "deallocated";
        };
    }

    /** The answer to {@code statusOnly}: little, and the group's name in capitals, as the provider likes it. */
    ObjectNode statusOnly(ObjectNode stored) {
        ObjectNode full = view(stored, true);
        ObjectNode machine = JsonNodeFactory.instance.objectNode();
        String id = full.path("id").asText();
        String group = id.split("/", -1)[4];
        machine.put("id", id.replace("/" + group + "/", "/" + group.toUpperCase(Locale.ROOT) + "/"));
        machine.set("name", full.path("name"));
        machine.set("location", full.path("location"));
        machine.putObject("properties").set("instanceView", full.at("/properties/instanceView"));
        return machine;
    }
}
