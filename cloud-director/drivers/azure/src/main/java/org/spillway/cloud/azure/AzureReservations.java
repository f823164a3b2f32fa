package org.spillway.cloud.azure;

import com.azure.core.http.HttpMethod;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.OfferingId;

/**
 * Reservations of a capacity reservation group. "Azure supports allocating as many VMs as desired against the reservation", and
 * "if the group doesn't have a reservation matching the size and location, Azure returns an error message" ("On-demand capacity
 * reservation"): so only what is reserved is sold as such, and no more of it than is reserved, since a machine beyond that costs
 * what one on demand costs, and may find no room.
 */
final class AzureReservations {
    private static final String VERSION = "?api-version=2024-07-01";
    private static final int MAX_PAGES = 20;

    private final AzureSettings settings;
    private final Arm arm;

    AzureReservations(AzureSettings settings, Arm arm) {
        this.settings = settings;
        this.arm = arm;
    }

    /**
     * Capacity of one size in one place.
     *
     * @param zone the location where it was reserved without a zone: its machines are to name none either
     * @param total machines that it has room for
     * @param machines that use it, by {@link Machines#key}: "all the VMs that were configured to use the reservation", also
     *     those that are off, as they come back
     */
    record Reserved(String name, String size, String zone, int total, Set<String> machines) {
        Reserved {
            machines = Set.copyOf(machines);
        }

        boolean isOf(OfferingId offering) {
            return size.equalsIgnoreCase(offering.instanceType()) && zone.equalsIgnoreCase(offering.zone());
        }

        /** Places that are left for these machines, of which some may be in it already. */
        int roomFor(Set<String> those) {
            Set<String> strangers = new HashSet<>(machines);
            strangers.removeAll(those);
            return Math.max(0, total - strangers.size());
        }

        String text() {
            return name + " (" + size + " in " + zone + "): " + machines.size() + " of " + total + " in use";
        }
    }

    /** @throws CloudException also without the right, and INVALID when there is no such group */
    List<Reserved> look(String group) throws CloudException {
        if (!group.matches(AzureOptions.ID)) {
            throw new CloudException(Reason.INVALID, "'" + group + "' is no capacity reservation group's id");
        }
        List<Reserved> all = new ArrayList<>();
        String next = group + "/capacityReservations" + VERSION;
        for (int page = 0; !next.isEmpty(); page++) {
            if (page == MAX_PAGES) {
                throw new CloudException(Reason.THROTTLED, group + " has more than " + MAX_PAGES + " pages");
            }
            Answer<JsonNode> answer = arm.raw(HttpMethod.GET, next);
            if (answer instanceof Answer.Refused<JsonNode> no && no.isGone()) {
                throw new CloudException(Reason.INVALID, "there is no capacity reservation group " + group);
            }
            JsonNode body = answer.orThrow();
            body.path("value").forEach(each -> all.add(read(each)));
            next = body.path("nextLink").asText("");
        }
        all.removeIf(each -> each.size().isEmpty());
        return all;
    }

    private Reserved read(JsonNode told) {
        Set<String> machines = new HashSet<>();
        told.at("/properties/virtualMachinesAssociated")
                .forEach(each -> machines.add(Machines.key(each.path("id").asText())));
        String zone = told.path("zones").path(0).asText("");
        return new Reserved(
                Arm.line(told.path("name").asText()),
                told.at("/sku/name").asText(),
                zone.isEmpty() ? settings.location() : zone,
                Math.max(0, told.at("/sku/capacity").asInt(0)),
                machines);
    }

    /** Findings of the site's group; none where it has none. */
    void say(List<Finding> findings) {
        if (settings.reservation().isEmpty()) {
            return;
        }
        try {
            List<Reserved> all = look(settings.reservation());
            String text = all.stream().map(Reserved::text).sorted().collect(Collectors.joining("; "));
            findings.add(
                    all.isEmpty()
                            ? AzureDiagnostics.warning(
                                    "reservations",
                                    settings.reservation() + " has none, so nothing reserved is offered",
                                    "az capacity reservation create in that group")
                            : AzureDiagnostics.good("reservations", text));
        } catch (CloudException failed) {
            boolean wrong = failed.reason() == Reason.INVALID;
            String said = String.valueOf(failed.getMessage());
            findings.add(
                    wrong
                            ? AzureDiagnostics.broken("reservations", said, "correct reservation")
                            : AzureDiagnostics.warning(
                                    "reservations",
                                    said + "; nothing reserved is offered",
                                    "allow Microsoft.Compute/capacityReservationGroups/capacityReservations/read"));
        }
    }
}
