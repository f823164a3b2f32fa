package org.spillway.localcloud.arm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Everything but machines: it is kept as it was put, with its references checked, and goes when nothing needs it. */
final class ArmResources {
    private static final Set<String> TYPES = Set.of(
            "microsoft.compute/disks",
            "microsoft.compute/snapshots",
            "microsoft.compute/images",
            "microsoft.compute/diskencryptionsets",
            "microsoft.compute/sshpublickeys",
            "microsoft.compute/availabilitysets",
            "microsoft.compute/proximityplacementgroups",
            "microsoft.compute/capacityreservationgroups",
            "microsoft.compute/capacityreservationgroups/capacityreservations",
            "microsoft.compute/virtualmachinescalesets",
            "microsoft.compute/galleries",
            "microsoft.network/networkinterfaces",
            "microsoft.network/publicipaddresses",
            "microsoft.network/networksecuritygroups",
            "microsoft.network/applicationsecuritygroups",
            "microsoft.network/natgateways",
            "microsoft.network/bastionhosts",
            "microsoft.network/virtualnetworks",
            "microsoft.storage/storageaccounts");
    private final ArmStore store;
    private final ArmOperations operations;

    ArmResources(ArmStore store, ArmOperations operations) {
        this.store = store;
        this.operations = operations;
    }

    static void identify(ObjectNode body, ArmId id) {
        body.put("id", id.text()).put("name", id.name()).put("type", id.type());
    }

    static boolean isKnown(String type) {
        return TYPES.contains(type.toLowerCase(Locale.ROOT));
    }

    ArmAnswer put(ArmId id, ObjectNode body) throws ArmFault, IOException {
        boolean fresh = !store.has(id.key());
        checkReferences(body.path("properties"), id);
        if (id.is(ArmReservations.TYPE)) {
            new ArmReservations(store).checkReservation(id, body);
        }
        identify(body, id);
        ObjectNode properties = body.withObject("/properties").put("provisioningState", "Succeeded");
        if (id.is("Microsoft.Network/publicIPAddresses")) {
            properties.put("ipAddress", "192.0.2." + (1 + Math.floorMod(id.key().hashCode(), 250)));
        }
        for (String children : List.of("subnets", "securityRules")) {
            for (JsonNode child : properties.path(children)) {
                if (child instanceof ObjectNode part) {
                    part.put(
                            "id",
                            id.text() + "/" + children + "/" + part.path("name").asText());
                    part.withObject("/properties").put("provisioningState", "Succeeded");
                }
            }
        }
        store.put(Map.of(id.key(), body));
        boolean network = id.type().toLowerCase(Locale.ROOT).startsWith("microsoft.network/");
        String operation = network ? operations.start(() -> ArmOperations.Failure.NONE) : "";
        // As the SDK wants it: a new one is answered with 200 there.
        boolean created = fresh && !id.is("Microsoft.Compute/availabilitySets");
        return new ArmAnswer(created ? 201 : 200, view(body), operation, id.name(), java.util.Optional.empty());
    }

    /** With the machines that stand in it, if it is a group. */
    ObjectNode view(ObjectNode stored) {
        ObjectNode body = stored.deepCopy();
        String type = body.path("type").asText().toLowerCase(Locale.ROOT);
        if (type.endsWith("/availabilitysets") || type.endsWith("/proximityplacementgroups")) {
            ArrayNode members = body.withObject("/properties").putArray("virtualMachines");
            for (String key : store.mentions(ArmId.key(body.path("id").asText()))) {
                if (key.contains("/virtualmachines/")) {
                    store.find(key).ifPresent(found -> members.addObject().set("id", found.path("id")));
                }
            }
        }
        if (ArmReservations.TYPE.equalsIgnoreCase(type)) {
            new ArmReservations(store).see(body);
        }
        return body;
    }

    /** Every id that it names is there. */
    void checkReferences(JsonNode node, ArmId owner) throws ArmFault {
        for (Map.Entry<String, JsonNode> field : node.properties()) {
            String value = field.getValue().asText("");
            if (field.getKey().equals("id")
                    && !value.isEmpty()
                    && !ArmId.key(value).startsWith(owner.key())) {
                if (!value.startsWith("/subscriptions/") || !exists(ArmId.key(value))) {
                    throw new ArmFault(
                            400, "InvalidResourceReference", "Resource " + value + " that it refers to was not found.");
                }
            }
        }
        for (JsonNode child : node) {
            checkReferences(child, owner);
        }
    }

    private boolean exists(String key) {
        int subnet = key.indexOf("/subnets/");
        if (subnet < 0) {
            return store.has(key);
        }
        return store.find(key.substring(0, subnet)).stream()
                .flatMap(network -> network.at("/properties/subnets").valueStream())
                .anyMatch(child -> ArmId.key(child.path("id").asText()).equals(key));
    }

    ArmAnswer delete(ArmId id) throws ArmFault, IOException {
        ObjectNode body = store.find(id.key()).orElse(null);
        if (body == null) {
            return ArmAnswer.nothing(204, "no " + id.name());
        }
        String holder = body.has("managedBy")
                ? body.path("managedBy").asText()
                : body.at("/properties/virtualMachine/id").asText();
        List<String> users = new ArrayList<>(store.mentions(id.key()));
        // Uses of a machine's own parts by itself are no use by another.
        if (holder.isEmpty()) {
            users.removeIf(user -> user.startsWith(id.key() + "/"));
        } else {
            users = new ArrayList<>(List.of(holder));
        }
        if (!users.isEmpty() && (holder.isEmpty() || store.has(ArmId.key(holder)))) {
            throw new ArmFault(
                    400, "InUseResourceCannotBeDeleted", "Resource " + id.text() + " is in use by " + users.getFirst());
        }
        store.remove(List.of(id.key()));
        if (id.is("Microsoft.Compute/availabilitySets") || id.is("Microsoft.Compute/proximityPlacementGroups")) {
            return ArmAnswer.nothing(200, id.name());
        }
        return ArmAnswer.accepted(operations.start(() -> ArmOperations.Failure.NONE), id.name());
    }
}
