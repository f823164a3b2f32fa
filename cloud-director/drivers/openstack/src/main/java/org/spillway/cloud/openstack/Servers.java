package org.spillway.cloud.openstack;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.Instance;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

/**
 * Reads Nova's description of a server, by hand: OpenStack4j's NovaServer (3.12) has no {@code original_name} of the
 * flavor, which is the only one that Nova tells since its version 2.47, and makes every status that it does not know one.
 */
final class Servers {
    /** Where it was asked for: Nova names no zone of a server that found no host. */
    static final String TAG_ZONE = "spillway-zone";
    /** Of the whole request, so that its repetition is told from another one with the same intent and attempt. */
    static final String TAG_REQUEST = "spillway-request";

    static final String TAG_GROUP = "spillway-fabric-group";
    /** The network whose address is the server's, by its name; absent where it has only one. */
    static final String TAG_NETWORK = "spillway-network";
    /** A server with it has ports that were made before it, and go after it. */
    static final String TAG_PORTS = "spillway-ports";

    /** A server with it is in that reservation. */
    static final String TAG_RESERVATION = "spillway-reservation";

    private static final Set<String> STOPPED =
            Set.of("SHUTOFF", "SUSPENDED", "PAUSED", "SHELVED", "SHELVED_OFFLOADED", "ERROR");
    private final String site;
    private final int sshPort;

    Servers(String site, int sshPort) {
        this.site = site;
        this.sshPort = sshPort;
    }

    /** @throws IllegalArgumentException if it is not a server */
    Instance instance(JsonNode server) {
        String id = server.path("id").asText();
        if (id.isEmpty() || !server.path("status").isTextual()) {
            throw new IllegalArgumentException("a server has no id or no status");
        }
        Map<String, String> tags = metadata(server);
        String zone = tags.getOrDefault(
                TAG_ZONE, server.path("OS-EXT-AZ:availability_zone").asText(""));
        String type = server.path("flavor").path("original_name").asText("");
        return new Instance(
                id,
                new OfferingId(
                        site, zone, type, tags.containsKey(TAG_RESERVATION) ? Market.RESERVED : Market.ON_DEMAND),
                state(server),
                address(server),
                sshPort,
                created(server, id),
                tags,
                failure(server),
                inside(server),
                // Of a project's own making, the same for each of its servers on that machine.
                server.path("hostId").asText(""));
    }

    static Map<String, String> metadata(JsonNode server) {
        Map<String, String> tags = new HashMap<>();
        server.path("metadata")
                .properties()
                .forEach(each -> tags.put(each.getKey(), each.getValue().asText()));
        return tags;
    }

    static Instance.State state(JsonNode server) {
        String task = server.path("OS-EXT-STS:task_state").asText("");
        String status = server.path("status").asText();
        if (status.equals("DELETED") || status.equals("SOFT_DELETED")) {
            return Instance.State.TERMINATED;
        }
        if (task.equals("deleting") || task.equals("soft-deleting")) {
            return Instance.State.TERMINATING;
        }
        if (status.equals("BUILD")) {
            return Instance.State.PENDING;
        }
        if (task.equals("powering-off") || task.equals("suspending") || task.startsWith("shelving")) {
            return Instance.State.STOPPING;
        }
        if (task.equals("powering-on") || task.equals("resuming") || task.startsWith("unshelving")) {
            return Instance.State.PENDING;
        }
        return STOPPED.contains(status) ? Instance.State.STOPPED : Instance.State.RUNNING;
    }

    /** The server was accepted, and never ran. */
    static LaunchOutcome.@Nullable Refused failure(JsonNode server) {
        boolean ran = server.path("OS-SRV-USG:launched_at").isTextual();
        if (ran || !server.path("status").asText().equals("ERROR")) {
            return null;
        }
        JsonNode fault = server.path("fault");
        String message = Refusals.line(fault.path("message").asText("ended in ERROR without a word"));
        return new LaunchOutcome.Refused(Refusals.ofFault(fault.path("code").asInt(), message), message);
    }

    /** A host has been found for it, or it is known that there is none. */
    static boolean isDecided(JsonNode server) {
        return !server.path("hostId").asText("").isEmpty()
                || !server.path("status").asText().equals("BUILD");
    }

    /** A floating address where there is one, since it was given for being reached; else the first fixed one of IPv4. */
    static String address(JsonNode server) {
        String best = server.path("accessIPv4").asText("");
        int rank = best.isEmpty() ? 9 : 0;
        for (JsonNode network : networks(server)) {
            for (JsonNode each : network) {
                boolean floating = each.path("OS-EXT-IPS:type").asText().equals("floating");
                int its = floating ? 1 : each.path("version").asInt() == 4 ? 2 : 3;
                if (its < rank) {
                    rank = its;
                    best = each.path("addr").asText();
                }
            }
        }
        return best;
    }

    /** The addresses by network: of several, those in the site's own network alone. */
    private static Iterable<JsonNode> networks(JsonNode server) {
        JsonNode all = server.path("addresses");
        String wanted = server.path("metadata").path(TAG_NETWORK).asText("");
        return !wanted.isEmpty() && all.path(wanted).isArray() ? List.of(all.path(wanted)) : all;
    }

    /** Where its neighbours reach it: the first fixed address, IPv4 if there is one. */
    private static String inside(JsonNode server) {
        String best = "";
        int rank = 9;
        for (JsonNode network : networks(server)) {
            for (JsonNode each : network) {
                int its = each.path("version").asInt() == 4 ? 1 : 2;
                if (!each.path("OS-EXT-IPS:type").asText().equals("floating") && its < rank) {
                    rank = its;
                    best = each.path("addr").asText();
                }
            }
        }
        return best.isEmpty() ? address(server) : best;
    }

    private static Instant created(JsonNode server, String id) {
        String text = server.path("created").asText();
        try {
            return text.endsWith("Z")
                    ? Instant.parse(text)
                    : LocalDateTime.parse(text).toInstant(ZoneOffset.UTC);
        } catch (DateTimeException bad) {
            throw new IllegalArgumentException("'created' of " + id + " is no time", bad);
        }
    }
}
