package org.spillway.cloud.openstack;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.openstack4j.core.transport.HttpMethod;
import org.spillway.cloud.Billable;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Network;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.Money;

/**
 * Network, subnet, router to the outside, a security group that admits head and peers, and a key: each is found again by
 * its name, and made only where the site names none of its own. A guest gets a security group and nothing else.
 */
final class OpenStackNetwork implements Network {
    private static final OpenStackService NEUTRON = OpenStackService.NETWORK;
    private final Account account;

    OpenStackNetwork(Account account) {
        this.account = account;
    }

    @Override
    public List<Billable> create() throws CloudException {
        OpenStackSettings settings = account.settings();
        List<Billable> made = new ArrayList<>();
        if (account.site().isGuest()) {
            // All else is its host's; without adminCidr, so is the group.
            return settings.securityGroup().isEmpty() && !settings.adminCidr().isEmpty()
                    ? List.of(billable("group", securityGroup()))
                    : List.of();
        }
        if (settings.network().isEmpty()) {
            String network = ensure("network", "networks", Map.of(), new HashMap<>());
            String subnet = ensure(
                    "subnet",
                    "subnets",
                    Map.of("network_id", network),
                    Map.of("network_id", network, "ip_version", "4", "cidr", settings.subnetCidr()));
            String router = router();
            join(router, subnet);
            made.add(billable("network", network));
            made.add(billable("subnet", subnet));
            made.add(billable("router", router));
        }
        if (settings.securityGroup().isEmpty()) {
            made.add(billable("group", securityGroup()));
        }
        Path publicKey = settings.publicKeyFile();
        if (publicKey != null) {
            key(publicKey);
            made.add(billable("key", account.name()));
        }
        return made;
    }

    private Billable billable(String kind, String id) {
        Money price = account.site().price(kind, Market.ON_DEMAND).orElse(Money.ZERO);
        boolean key = kind.equals("key");
        return new Billable(
                kind,
                id,
                price,
                Things.tags(JsonNodeFactory.instance.objectNode().put("description", Things.description(account))),
                "",
                key ? Billable.Evidence.NAME : Billable.Evidence.TAG);
    }

    private Optional<String> find(String list, Map<String, String> where) throws CloudException {
        Map<String, String> query = new HashMap<>(where);
        query.put("name", account.name());
        List<JsonNode> found = account.api().own("/" + list.replace('_', '-'), list, query);
        if (found.size() > 1) {
            throw new CloudException(
                    Reason.INVALID,
                    "several " + list + " are called " + account.name()
                            + "; delete all but one, or run `spillway site delete`");
        }
        return found.stream().map(each -> each.path("id").asText()).findFirst();
    }

    private String ensure(String kind, String list, Map<String, String> where, Map<String, String> fields)
            throws CloudException {
        Optional<String> found = find(list, where);
        if (found.isPresent()) {
            return found.get();
        }
        ObjectNode thing = named();
        fields.forEach(thing::put);
        return make(kind, list, thing);
    }

    private ObjectNode named() {
        return JsonNodeFactory.instance
                .objectNode()
                .put("name", account.name())
                .put("description", Things.description(account));
    }

    private String make(String kind, String list, ObjectNode thing) throws CloudException {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        body.set(kind, thing);
        String id = account.api()
                .post(NEUTRON, "/" + list.replace('_', '-'), body)
                .path(kind)
                .path("id")
                .asText();
        if (id.isEmpty()) {
            throw new CloudException(Reason.THROTTLED, "the new " + kind + " has no id");
        }
        return id;
    }

    private String router() throws CloudException {
        Optional<String> found = find("routers", Map.of());
        if (found.isPresent()) {
            return found.get();
        }
        ObjectNode router = named();
        router.putObject("external_gateway_info").put("network_id", external());
        return make("router", "routers", router);
    }

    private String external() throws CloudException {
        List<JsonNode> outer = account.api().all(NEUTRON, "/networks", "networks", Map.of("router:external", "true"));
        String wanted = account.settings().externalNetwork();
        if (!wanted.isEmpty()) {
            return Account.only(outer, wanted)
                    .orElseThrow(() ->
                            new CloudException(Reason.INVALID, "there is no one external network '" + wanted + "'"));
        }
        if (outer.size() != 1) {
            throw new CloudException(
                    Reason.INVALID, "there are " + outer.size() + " external networks: set externalNetwork");
        }
        return outer.getFirst().path("id").asText();
    }

    private void join(String router, String subnet) throws CloudException {
        for (JsonNode port : account.api().all(NEUTRON, "/ports", "ports", Map.of("device_id", router))) {
            for (JsonNode address : port.path("fixed_ips")) {
                if (address.path("subnet_id").asText().equals(subnet)) {
                    return;
                }
            }
        }
        account.api().put(NEUTRON, "/routers/" + router + "/add_router_interface", subnetId(subnet));
    }

    private static ObjectNode subnetId(String subnet) {
        return JsonNodeFactory.instance.objectNode().put("subnet_id", subnet);
    }

    private String securityGroup() throws CloudException {
        String admin = account.settings().adminCidr();
        if (admin.isEmpty()) {
            throw new CloudException(
                    Reason.INVALID, "set adminCidr, the network from which the head comes, or a securityGroup");
        }
        String group = ensure("security_group", "security_groups", Map.of(), Map.of());
        String port = Integer.toString(account.settings().sshPort());
        rule(
                group,
                Map.of("protocol", "tcp", "port_range_min", port, "port_range_max", port, "remote_ip_prefix", admin));
        rule(group, Map.of("remote_group_id", group));
        return group;
    }

    /** Made anew each time: Neutron refuses one that is there with 409. */
    private void rule(String group, Map<String, String> fields) throws CloudException {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        ObjectNode rule = body.putObject("security_group_rule");
        rule.put("security_group_id", group).put("direction", "ingress").put("ethertype", "IPv4");
        rule.put("description", Things.description(account));
        fields.forEach(rule::put);
        Api.Result result = account.api().call(NEUTRON, HttpMethod.POST, "/security-group-rules", Map.of(), body);
        boolean there = result instanceof Api.Result.Refused refused
                && refused.status() == 409
                && refused.reason() != Reason.QUOTA;
        if (!there) {
            Api.done(result);
        }
    }

    private void key(Path publicKey) throws CloudException {
        Api.Result known = account.api()
                .call(OpenStackService.COMPUTE, HttpMethod.GET, "/os-keypairs/" + account.name(), Map.of(), null);
        if (!(known instanceof Api.Result.Refused refused && refused.status() == 404)) {
            Api.done(known);
            return;
        }
        String text;
        try {
            text = Files.readString(publicKey).strip();
        } catch (IOException unreadable) {
            throw new CloudException(Reason.INVALID, "publicKeyFile " + publicKey + " cannot be read", unreadable);
        }
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        body.putObject("keypair").put("name", account.name()).put("public_key", text);
        account.api().post(OpenStackService.COMPUTE, "/os-keypairs", body);
    }

    @Override
    public void delete() throws CloudException {
        ServerGroups groups = new ServerGroups(account);
        for (JsonNode group : groups.own()) {
            account.api()
                    .delete(
                            OpenStackService.COMPUTE,
                            "/os-server-groups/" + group.path("id").asText());
        }
        // Of directors that are gone.
        for (JsonNode each : account.api().own("/floatingips", "floatingips", Map.of())) {
            boolean free = each.path("port_id").asText("").isEmpty()
                    || each.path("port_id").isNull();
            if (free && account.ownsThing(Things.tags(each))) {
                account.api().delete(NEUTRON, "/floatingips/" + each.path("id").asText());
            }
        }
        for (String router : allNamed("routers")) {
            removeRouter(account.api(), router);
        }
        for (String list : List.of("subnets", "networks", "security_groups")) {
            for (String id : allNamed(list)) {
                account.api().delete(NEUTRON, "/" + list.replace('_', '-') + "/" + id);
            }
        }
        account.api().delete(OpenStackService.COMPUTE, "/os-keypairs/" + account.name());
    }

    private List<String> allNamed(String list) throws CloudException {
        List<String> ids = new ArrayList<>();
        for (JsonNode each : account.api().own("/" + list.replace('_', '-'), list, Map.of("name", account.name()))) {
            ids.add(each.path("id").asText());
        }
        return ids;
    }

    /** A router goes only without its interfaces. */
    static void removeRouter(Api api, String router) throws CloudException {
        for (JsonNode port : api.all(NEUTRON, "/ports", "ports", Map.of("device_id", router))) {
            if (port.path("device_owner").asText().contains("router_interface")) {
                ObjectNode body = JsonNodeFactory.instance
                        .objectNode()
                        .put("port_id", port.path("id").asText());
                Api.Result result = api.call(
                        NEUTRON, HttpMethod.PUT, "/routers/" + router + "/remove_router_interface", Map.of(), body);
                if (!(result instanceof Api.Result.Refused refused && refused.status() == 404)) {
                    Api.done(result);
                }
            }
        }
        api.delete(NEUTRON, "/routers/" + router);
    }
}
