package org.spillway.localcloud.ec2;

import java.util.Map;
import java.util.Optional;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.MachineType;

/** Which capacity reservation a launch goes into, as RunInstances decides it. */
final class ReservedRoom {
    private static final String SPECIFICATION = "CapacityReservationSpecification.";
    private final CloudBehind cloud;
    private final Things things;

    ReservedRoom(CloudBehind cloud, Things things) {
        this.cloud = cloud;
        this.things = things;
    }

    /** @param facts of the launch, to which its reservation is added */
    void choose(Query query, MachineType type, String zone, String marketType, Map<String, String> facts)
            throws Ec2Error {
        String id = query.get(SPECIFICATION + "CapacityReservationTarget.CapacityReservationId");
        String preference = query.get(SPECIFICATION + "CapacityReservationPreference");
        facts.put("capacity-reservation-target", id);
        facts.put("capacity-preference", preference);
        facts.put("capacity-reservation", id);
        int count = query.whole("MaxCount", 1, 1, Integer.MAX_VALUE);
        // The same call again is answered, not checked: what it has bought fills the reservation.
        String before = Digest.id("r", query.get("ClientToken"));
        Optional<Thing> same = things.find("reservation", before);
        if (same.isPresent()) {
            facts.put("capacity-reservation", same.get().fact("capacity-reservation"));
            return;
        }
        boolean only = preference.equals("capacity-reservations-only");
        if (!id.isEmpty() && !preference.isEmpty() && !only) {
            // "You can only specify CapacityReservationPreference and CapacityReservationTarget if the
            // CapacityReservationPreference is capacity-reservations-only" (API, CapacityReservationSpecification).
            throw new Ec2Error(
                    "InvalidParameterCombination",
                    "CapacityReservationTarget goes with the preference capacity-reservations-only alone.");
        }
        if (marketType.equals("capacity-block") && id.isEmpty()) {
            // "To use your Capacity Block, you must specify the Capacity Block reservation ID" (user guide).
            throw new Ec2Error(
                    "InvalidParameterCombination",
                    "The market type capacity-block needs the id of a Capacity Block in CapacityReservationTarget.");
        }
        if (!id.isEmpty()) {
            targeted(id, type, zone, marketType, count);
        } else if (only) {
            facts.put("capacity-reservation", open(type, zone, count));
        }
    }

    /** Targeted ones accept nobody who does not name them. "If capacity isn't available, the instance will fail to launch." */
    private String open(MachineType type, String zone, int count) throws Ec2Error {
        return things.of("capacity-reservation").stream()
                .filter(each -> each.fact("match").equals("open")
                        && each.fact("state").equals("active")
                        && isOf(each, type, zone)
                        && left(each) >= count)
                .map(Thing::id)
                .findFirst()
                .orElseThrow(() -> new Ec2Error(
                        "ReservationCapacityExceeded",
                        "No open Capacity Reservation in " + zone + " has enough capacity for " + type.name() + "."));
    }

    private void targeted(String id, MachineType type, String zone, String marketType, int count) throws Ec2Error {
        Thing reservation = things.find("capacity-reservation", id)
                .filter(each -> each.fact("state").equals("active"))
                .orElseThrow(() -> new Ec2Error(
                        "InvalidCapacityReservationId.NotFound",
                        "The capacity reservation '" + id + "' does not exist"));
        boolean block = reservation.fact("reservation-type").equals("capacity-block");
        if (!isOf(reservation, type, zone) || block != marketType.equals("capacity-block")) {
            throw new Ec2Error(
                    "InvalidParameterCombination",
                    "The type, zone or market does not match capacity reservation " + id);
        }
        if (count > left(reservation)) {
            throw new Ec2Error(
                    "ReservationCapacityExceeded", "Capacity reservation " + id + " has not enough capacity.");
        }
    }

    private static boolean isOf(Thing reservation, MachineType type, String zone) {
        return reservation.fact("instance-type").equals(type.name())
                && reservation.fact("availability-zone").equals(zone);
    }

    private long left(Thing reservation) {
        return Long.parseLong(reservation.fact("total"))
                - InstanceView.inCapacityReservation(cloud, things, reservation.id());
    }
}
