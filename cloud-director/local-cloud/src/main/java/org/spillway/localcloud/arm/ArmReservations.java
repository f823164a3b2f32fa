package org.spillway.localcloud.arm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/**
 * Capacity reservations as "On-demand capacity reservation" tells them: each is of one size in one zone, or of none; a machine
 * names their group; it needs one that matches, is no spot machine, and stands in no group of another kind. Nothing counts them:
 * machines beyond what is reserved are "overallocated".
 */
final class ArmReservations {
    static final String TYPE = "Microsoft.Compute/capacityReservationGroups/capacityReservations";
    private static final String GROUP = "/properties/capacityReservation/capacityReservationGroup/id";

    private final ArmStore store;

    ArmReservations(ArmStore store) {
        this.store = store;
    }

    void checkMachine(JsonNode machine) throws ArmFault {
        String group = machine.at(GROUP).asText();
        if (group.isEmpty()) {
            return;
        }
        JsonNode properties = machine.path("properties");
        if (properties.path("priority").asText().equals("Spot")
                || properties.has("availabilitySet")
                || properties.has("proximityPlacementGroup")) {
            throw new ArmFault(
                    400,
                    "BadRequest",
                    "Capacity reservations are not supported for Spot VMs, availability sets and proximity placement groups.");
        }
        boolean matches = store.startingWith(ArmId.key(group) + "/capacityreservations/").stream()
                .anyMatch(each -> isFor(each, machine));
        if (!matches) {
            throw new ArmFault(
                    400,
                    "BadRequest",
                    "Capacity reservation group " + group + " has no reservation for "
                            + properties.at("/hardwareProfile/vmSize").asText() + " in zone '" + zone(machine) + "'.");
        }
    }

    /** @throws ArmFault for one without size or quantity, and for a second one of that size and zone */
    void checkReservation(ArmId id, JsonNode body) throws ArmFault {
        String group = id.key().substring(0, id.key().lastIndexOf("/capacityreservations/"));
        if (!store.has(group)) {
            throw new ArmFault(404, "ParentResourceNotFound", "There is no group " + group);
        }
        if (body.at("/sku/name").asText().isEmpty() || !body.at("/sku/capacity").isInt()) {
            throw ArmFault.invalid("sku", "A reservation needs a size and a quantity.");
        }
        Optional<ObjectNode> twin = store.startingWith(group + "/capacityreservations/").stream()
                .filter(each -> !ArmId.key(each.path("id").asText()).equals(id.key())
                        && each.at("/sku/name").equals(body.at("/sku/name"))
                        && zone(each).equals(zone(body)))
                .findFirst();
        if (twin.isPresent()) {
            throw new ArmFault(409, "Conflict", "The group has a reservation of that size and zone.");
        }
    }

    /** With the machines that use it. */
    void see(ObjectNode reservation) {
        String id = ArmId.key(reservation.path("id").asText());
        ArrayNode machines = reservation.withObject("/properties").putArray("virtualMachinesAssociated");
        for (String key : store.mentions(id.substring(0, id.lastIndexOf("/capacityreservations/")))) {
            store.find(key)
                    .filter(found ->
                            ArmMachines.TYPE.equalsIgnoreCase(found.path("type").asText()) && isFor(reservation, found))
                    .ifPresent(found -> machines.addObject().set("id", found.path("id")));
        }
    }

    private static boolean isFor(JsonNode reservation, JsonNode machine) {
        return reservation
                        .at("/sku/name")
                        .asText()
                        .equals(machine.at("/properties/hardwareProfile/vmSize").asText())
                && zone(reservation).equals(zone(machine));
    }

    private static String zone(JsonNode resource) {
        return resource.path("zones").path(0).asText("");
    }
}
