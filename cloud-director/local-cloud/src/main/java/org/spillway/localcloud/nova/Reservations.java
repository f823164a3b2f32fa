package org.spillway.localcloud.nova;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.FrontReply;
import org.spillway.localcloud.MachineType;

/**
 * Blazar: leases with reservations of hosts and of instances, active as soon as they are made ("Reservation API v1"). A
 * reservation of instances is of those of the cloud's types with as many CPUs and as much memory.
 */
final class Reservations implements NovaFront.Service {
    static final String FLAVOR = "reservation:";
    private static final String HOSTS = "physical:host";
    private static final String INSTANCES = "virtual:instance";
    private final CloudBehind cloud;
    private final Things leases;

    Reservations(CloudBehind cloud, Path folder) throws IOException {
        this.cloud = cloud;
        this.leases = new Things("lease", "leases", folder);
    }

    @Override
    public FrontReply answer(NovaFront.Asked asked) throws IOException, Said.No {
        String id = asked.word(1);
        return switch (asked.method() + " " + asked.word(0)) {
            case "GET leases" -> id.isEmpty() ? leases.list(Map.of()) : leases.show(id);
            case "POST leases" -> make(asked.body());
            case "DELETE leases" -> leases.delete(id, 204);
            default -> throw Said.No.missing("Path", String.join("/", asked.words()));
        };
    }

    private FrontReply make(JsonNode body) throws IOException, Said.No {
        ObjectNode lease = body.deepCopy();
        String id = Things.newId();
        lease.put("id", id).put("project_id", Identity.PROJECT).put("status", "ACTIVE");
        for (JsonNode each : lease.path("reservations")) {
            ObjectNode reservation = (ObjectNode) each;
            String type = reservation.path("resource_type").asText();
            if (!type.equals(HOSTS) && !type.equals(INSTANCES)) {
                throw Said.No.bad("Resource type " + type + " is not supported");
            }
            String its = Things.newId();
            reservation.put("id", its).put("lease_id", id);
            if (!reservation.has("status")) {
                reservation.put("status", "active");
            }
            if (type.equals(INSTANCES)) {
                reservation.put("flavor_id", its).put("server_group_id", "").put("affinity", false);
                if (type(reservation).isEmpty()) {
                    throw Said.No.bad("Not enough hosts available");
                }
            }
        }
        ObjectNode wrapped = Said.object();
        wrapped.set("lease", lease);
        return leases.make(wrapped, Said.object(), 201);
    }

    private Optional<MachineType> type(JsonNode reservation) {
        return cloud.types().stream()
                .filter(each ->
                        each.resources().cpus() == reservation.path("vcpus").asInt()
                                && each.resources().memoryBytes() >> 20
                                        == reservation.path("memory_mb").asLong())
                .findFirst();
    }

    /** An active reservation, by its id. */
    private Optional<JsonNode> active(String id) {
        for (ObjectNode lease : leases.shelf().all()) {
            for (JsonNode each : lease.path("reservations")) {
                if (each.path("id").asText().equals(id)
                        && each.path("status").asText().equals("active")) {
                    return Optional.of(each);
                }
            }
        }
        return Optional.empty();
    }

    /** The type behind the flavor of a reservation of instances; empty for any other flavor. */
    Optional<MachineType> ofFlavor(String flavorId) {
        return active(flavorId)
                .filter(each -> each.path("resource_type").asText().equals(INSTANCES))
                .flatMap(this::type);
    }

    /** Whether Nova lets servers into it: hosts by a hint, instances by their flavor. */
    boolean admits(String id) {
        return active(id).isPresent();
    }

    /** Servers that it has room for. */
    int room(String id) {
        int amount = active(id)
                .map(each -> each.path("amount").asInt(Integer.MAX_VALUE))
                .orElse(0);
        long taken = cloud.list(Map.of(Compute.HIDDEN_RESERVATION, id), "", Integer.MAX_VALUE).stream()
                .filter(each -> each.state().isLive())
                .count();
        return (int) Math.max(0, amount - taken);
    }

    /** Flavors of active reservations, which only their project sees. */
    void addFlavors(ArrayNode flavors) {
        for (ObjectNode lease : leases.shelf().all()) {
            for (JsonNode each : lease.path("reservations")) {
                String id = each.path("id").asText();
                ofFlavor(id).ifPresent(type -> {
                    ObjectNode flavor = Compute.flavor(type);
                    flavor.put("id", id).put("name", FLAVOR + id).put("os-flavor-access:is_public", false);
                    flavors.add(flavor);
                });
            }
        }
    }
}
