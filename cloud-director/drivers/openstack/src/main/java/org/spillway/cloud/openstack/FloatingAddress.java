package org.spillway.cloud.openstack;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Instance;
import org.spillway.policy.LaunchOutcome.Reason;

/** An address from outside for a director or a child's head, where the site has set floatingNetwork; it goes with its server. */
final class FloatingAddress {
    private static final OpenStackService NEUTRON = OpenStackService.NETWORK;
    private final Account account;

    FloatingAddress(Account account) {
        this.account = account;
    }

    boolean isFor(Map<String, String> tags) {
        return !account.settings().floatingNetwork().isEmpty() && Instance.isAdministered(tags);
    }

    /** @return the same instance, with the address by which it is reached from now on */
    Instance give(Instance to) throws CloudException {
        List<JsonNode> outer = account.api().all(NEUTRON, "/networks", "networks", Map.of("router:external", "true"));
        String wanted = account.settings().floatingNetwork();
        String network = Account.only(outer, wanted)
                .orElseThrow(
                        () -> new CloudException(Reason.INVALID, "there is no one external network '" + wanted + "'"));
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        body.putObject("floatingip")
                .put("floating_network_id", network)
                .put("port_id", port(to.id()))
                .put(
                        "description",
                        Things.description(account, to.tags().getOrDefault(Instance.TAG_ROLE, ""), to.intent()));
        String address = account.api()
                .post(NEUTRON, "/floatingips", body)
                .path("floatingip")
                .path("floating_ip_address")
                .asText();
        return new Instance(
                to.id(),
                to.offering(),
                to.state(),
                address,
                to.sshPort(),
                to.launchedAt(),
                to.tags(),
                to.failure(),
                to.inside());
    }

    /** A server gets its port when it has a host. */
    private String port(String server) throws CloudException {
        Instant deadline = account.clock().instant().plus(account.settings().schedule());
        for (int round = 0; ; round++) {
            Optional<String> port = ports(server).stream().findFirst();
            if (port.isPresent()) {
                return port.get();
            }
            if (!account.clock().instant().isBefore(deadline) || !Following.pause(Launcher.pause(round))) {
                throw new CloudException(Reason.THROTTLED, server + " has got no port");
            }
        }
    }

    private List<String> ports(String server) throws CloudException {
        return account.api().all(NEUTRON, "/ports", "ports", Map.of("device_id", server)).stream()
                .map(port -> port.path("id").asText())
                .toList();
    }

    /** Before its server ends: afterwards nothing tells whose it was. */
    void takeFrom(String server) throws CloudException {
        for (String port : ports(server)) {
            for (JsonNode each : account.api().all(NEUTRON, "/floatingips", "floatingips", Map.of("port_id", port))) {
                if (account.ownsThing(Things.tags(each))) {
                    account.api()
                            .delete(NEUTRON, "/floatingips/" + each.path("id").asText());
                }
            }
        }
    }
}
