package org.spillway.cloud.openstack;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.openstack4j.api.Builders;
import org.openstack4j.model.network.NetFloatingIP;
import org.openstack4j.model.network.Network;
import org.openstack4j.model.network.Port;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Instance;
import org.spillway.policy.LaunchOutcome.Reason;

/** An address from outside for a director or a child's head, where the site has set floatingNetwork; it goes with its server. */
final class FloatingAddress {
    private final Account account;

    FloatingAddress(Account account) {
        this.account = account;
    }

    boolean isFor(Map<String, String> tags) {
        return !account.settings().floatingNetwork().isEmpty() && Instance.isAdministered(tags);
    }

    /** @return the same instance, with the address by which it is reached from now on */
    Instance give(Instance to) throws CloudException {
        List<Network> outer = account.api()
                .all(
                        "networks",
                        Map.of("router:external", "true"),
                        (cloud, query) -> cloud.networking().network().list(query));
        String wanted = account.settings().floatingNetwork();
        String network = Account.only(outer, wanted)
                .orElseThrow(
                        () -> new CloudException(Reason.INVALID, "there is no one external network '" + wanted + "'"));
        NetFloatingIP wish = Builders.netFloatingIP()
                .floatingNetworkId(network)
                .portId(port(to.id()))
                .description(Things.description(account, to.tags().getOrDefault(Instance.TAG_ROLE, ""), to.intent()))
                .build();
        String address = account.api()
                .get(cloud -> cloud.networking().floatingip().create(wish))
                .getFloatingIpAddress();
        if (address == null) {
            throw new CloudException(Reason.THROTTLED, "the new floating address is not told");
        }
        return new Instance(
                to.id(),
                to.offering(),
                to.state(),
                address,
                to.sshPort(),
                to.launchedAt(),
                to.tags(),
                to.failure(),
                to.inside(),
                to.host());
    }

    /** A server gets its port when it has a host. */
    private String port(String server) throws CloudException {
        String network = account.settings().server().more().isEmpty() ? "" : account.networkId();
        Instant deadline = account.clock().instant().plus(account.settings().schedule());
        for (int round = 0; ; round++) {
            Optional<String> port = portsOf(account.api(), server).stream()
                    .filter(each -> network.isEmpty() || network.equals(each.getNetworkId()))
                    .map(Port::getId)
                    .findFirst();
            if (port.isPresent()) {
                return port.get();
            }
            if (!account.clock().instant().isBefore(deadline) || !Following.pause(Launcher.pause(round))) {
                throw new CloudException(Reason.THROTTLED, server + " has got no port");
            }
        }
    }

    /** @param device a server or a router */
    static List<Port> portsOf(Api api, String device) throws CloudException {
        return api.all(
                "ports",
                Map.of("device_id", device),
                (cloud, query) -> cloud.networking()
                        .port()
                        .list(query.entrySet().stream()
                                .collect(Collectors.toMap(Map.Entry::getKey, each -> List.of(each.getValue())))));
    }

    private List<String> ports(String server) throws CloudException {
        return portsOf(account.api(), server).stream().map(Port::getId).toList();
    }

    /** Before its server ends: afterwards nothing tells whose it was. */
    void takeFrom(String server) throws CloudException {
        for (String port : ports(server)) {
            List<NetFloatingIP> given = account.api()
                    .all(
                            "floatingips",
                            Map.of("port_id", port),
                            (cloud, query) -> cloud.networking().floatingip().list(query));
            for (NetFloatingIP each : given) {
                if (account.ownsThing(Things.tags(each))) {
                    account.api()
                            .unlessGone(cloud -> cloud.networking().floatingip().delete(each.getId()));
                }
            }
        }
    }
}
