package org.spillway.cloud.openstack;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchRequest;
import org.spillway.policy.LaunchOutcome.Reason;

/**
 * Ports that are made before their servers, as {@code binding:vnic_type} needs it. Nova leaves such a port when its server
 * ends ("Create Server" of the Compute API, {@code networks.port}): so it bears the server's name and our description, and
 * is deleted by that name. What a killed launch left has no device; the next launch removes it, and {@code audit} shows it.
 */
final class Ports {
    private static final Logger LOG = LoggerFactory.getLogger(Ports.class);
    /** A launch that lives has given its ports a server by then. */
    private static final Duration SURELY_LEFT = Duration.ofMinutes(10);

    private final Account account;

    Ports(Account account) {
        this.account = account;
    }

    /**
     * The ports of one server.
     *
     * @param server its name
     * @return their ids by the network's
     * @throws CloudException after those that were made have been deleted again, as far as that went
     */
    Map<String, String> make(LaunchRequest request, ServerBody form, String server) throws CloudException {
        Map<String, String> made = new LinkedHashMap<>();
        try {
            for (ServerBody.Nic nic : form.networks()) {
                if (!nic.vnicType().isEmpty()) {
                    made.put(nic.networkId(), make(request, form, server, nic));
                }
            }
            return made;
        } catch (CloudException failed) {
            tidy(server);
            throw failed;
        }
    }

    private String make(LaunchRequest request, ServerBody form, String server, ServerBody.Nic nic)
            throws CloudException {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        ObjectNode port = body.putObject("port")
                .put("name", server)
                .put("network_id", nic.networkId())
                .put("binding:vnic_type", nic.vnicType())
                .put(
                        "description",
                        Things.description(
                                account, request.tags().getOrDefault(Instance.TAG_ROLE, ""), request.intent()));
        if (!form.portGroupId().isEmpty()) {
            port.putArray("security_groups").add(form.portGroupId());
        }
        String id = account.api()
                .post(OpenStackService.NETWORK, "/ports", body)
                .path("port")
                .path("id")
                .asText();
        if (id.isEmpty()) {
            throw new CloudException(Reason.THROTTLED, "the new port has no id");
        }
        return id;
    }

    /** As {@link #removeOf}; what stays is found later. */
    void tidy(String server) {
        try {
            removeOf(server);
        } catch (CloudException stays) {
            LOG.warn("ports of {} stay: {}", server, stays.getMessage());
        }
    }

    /** Ports that were made for a server of that name. */
    void removeOf(String server) throws CloudException {
        for (JsonNode port : account.api().own("/ports", "ports", Map.of("name", server))) {
            if (port.path("name").asText().equals(server) && account.ownsThing(Things.tags(port))) {
                remove(port);
            }
        }
    }

    /** Of launches that were killed between a port and its server, and not of those that may be under way. */
    void removeLeft() throws CloudException {
        removeLeft(
                account.clock().instant().minus(account.settings().schedule()).minus(SURELY_LEFT));
    }

    /** Of a site that launches no more. */
    void removeAllLeft() throws CloudException {
        removeLeft(Instant.MAX);
    }

    /** An unbound port is {@code DOWN}. */
    private void removeLeft(Instant before) throws CloudException {
        for (JsonNode port : account.api().own("/ports", "ports", Map.of("status", "DOWN"))) {
            Map<String, String> tags = Things.tags(port);
            boolean launched = account.ownsThing(tags) && tags.containsKey(Instance.TAG_INTENT);
            if (launched
                    && port.path("device_id").asText("").isEmpty()
                    && !created(port).isAfter(before)) {
                remove(port);
            }
        }
    }

    private static Instant created(JsonNode port) {
        try {
            return Instant.parse(port.path("created_at").asText());
        } catch (DateTimeException untold) {
            return Instant.MAX;
        }
    }

    private void remove(JsonNode port) throws CloudException {
        String id = port.path("id").asText();
        account.api().unlessGone(cloud -> cloud.networking().port().delete(id));
    }
}
