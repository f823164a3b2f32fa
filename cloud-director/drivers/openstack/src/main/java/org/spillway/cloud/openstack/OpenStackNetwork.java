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
import java.util.Set;
import java.util.function.UnaryOperator;
import org.openstack4j.api.Builders;
import org.openstack4j.model.common.BasicResource;
import org.openstack4j.model.network.AttachInterfaceType;
import org.openstack4j.model.network.IP;
import org.openstack4j.model.network.NetFloatingIP;
import org.openstack4j.model.network.Port;
import org.openstack4j.model.network.SecurityGroup;
import org.openstack4j.model.network.SecurityGroupRule;
import org.openstack4j.model.network.builder.NetSecurityGroupRuleBuilder;
import org.spillway.cloud.Billable;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Network;
import org.spillway.policy.LaunchOutcome.Reason;
import org.spillway.policy.Market;
import org.spillway.policy.Money;

/**
 * Network, subnet, router to the outside, a security group that admits head and peers, and a key: each is found again by
 * its name, and made only where the site names none of its own. A guest gets a security group and nothing else.
 *
 * <p>Networks, subnets and routers are made by hand: OpenStack4j's builders (3.12) set no description, and what is made
 * without one bears nobody's mark until a second call. Its lists of subnets and routers take neither filter nor page.
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
        List<String> found = allNamed(list, where);
        if (found.size() > 1) {
            throw new CloudException(
                    Reason.INVALID,
                    "several " + list + " are called " + account.name()
                            + "; delete all but one, or run `spillway site delete`");
        }
        return found.stream().findFirst();
    }

    /** The ids of what bears our name. */
    private List<String> allNamed(String list, Map<String, String> where) throws CloudException {
        Map<String, String> named = new HashMap<>(where);
        named.put("name", account.name());
        Api api = account.api();
        return switch (list) {
            case "networks" ->
                ids(api.own(
                        list,
                        named,
                        (cloud, query) -> cloud.networking().network().list(query)));
            case "security_groups" ->
                ids(api.own(
                        list,
                        named,
                        (cloud, query) -> cloud.networking().securitygroup().list(query)));
            default ->
                api.own("/" + list, list, named).stream()
                        .map(each -> each.path("id").asText())
                        .toList();
        };
    }

    private static List<String> ids(List<? extends BasicResource> all) {
        return all.stream().map(BasicResource::getId).toList();
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
                .post(NEUTRON, "/" + list, body)
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
        List<org.openstack4j.model.network.Network> outer = account.api()
                .all(
                        "networks",
                        Map.of("router:external", "true"),
                        (cloud, query) -> cloud.networking().network().list(query));
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
        return outer.getFirst().getId();
    }

    private void join(String router, String subnet) throws CloudException {
        for (Port port : FloatingAddress.portsOf(account.api(), router)) {
            for (IP address : port.getFixedIps() == null ? Set.<IP>of() : port.getFixedIps()) {
                if (subnet.equals(address.getSubnetId())) {
                    return;
                }
            }
        }
        account.api()
                .get(cloud -> cloud.networking().router().attachInterface(router, AttachInterfaceType.SUBNET, subnet));
    }

    private String securityGroup() throws CloudException {
        String admin = account.settings().adminCidr();
        if (admin.isEmpty()) {
            throw new CloudException(
                    Reason.INVALID, "set adminCidr, the network from which the head comes, or a securityGroup");
        }
        Optional<String> found = find("security_groups", Map.of());
        String group = found.isPresent() ? found.get() : newGroup();
        int port = account.settings().sshPort();
        rule(
                group,
                rule -> rule.protocol("tcp")
                        .portRangeMin(port)
                        .portRangeMax(port)
                        .remoteIpPrefix(admin));
        rule(group, rule -> rule.remoteGroupId(group));
        closeOthers(group, port, admin);
        return group;
    }

    /** A range that was configured before is let in no more; rules of people bear no mark of ours and stay. */
    private void closeOthers(String group, int port, String admin) throws CloudException {
        List<JsonNode> rules = account.api()
                .all(NEUTRON, "/security-group-rules", "security_group_rules", Map.of("security_group_id", group));
        for (JsonNode each : rules) {
            String range = each.path("remote_ip_prefix").asText("");
            boolean ours = each.path("security_group_id").asText().equals(group)
                    && each.path("description").asText("").equals(Things.description(account));
            boolean ssh = each.path("protocol").asText("").equals("tcp")
                    && each.path("port_range_min").asInt() == port;
            if (ours && ssh && each.path("remote_ip_prefix").isTextual() && !range.equals(admin)) {
                String rule = each.path("id").asText();
                account.api().unlessGone(cloud -> {
                    cloud.networking().securityrule().delete(rule);
                    return rule;
                });
            }
        }
    }

    private String newGroup() throws CloudException {
        SecurityGroup wish = Builders.securityGroup()
                .name(account.name())
                .description(Things.description(account))
                .build();
        String id = account.api()
                .get(cloud -> cloud.networking().securitygroup().create(wish))
                .getId();
        if (id == null) {
            throw new CloudException(Reason.THROTTLED, "the new security group has no id");
        }
        return id;
    }

    /** Made anew each time: Neutron refuses one that is there with 409. */
    private void rule(String group, UnaryOperator<NetSecurityGroupRuleBuilder> whom) throws CloudException {
        SecurityGroupRule wish = whom.apply(Builders.securityGroupRule()
                        .securityGroupId(group)
                        .direction("ingress")
                        .ethertype("IPv4")
                        .description(Things.description(account)))
                .build();
        Api.Result result = account.api()
                .ask(cloud -> cloud.networking().securityrule().create(wish))
                .result();
        boolean there = result instanceof Api.Result.Refused refused
                && refused.status() == 409
                && refused.reason() != Reason.QUOTA;
        if (!there) {
            Api.done(result);
        }
    }

    private void key(Path publicKey) throws CloudException {
        if (account.api()
                .find(cloud -> cloud.compute().keypairs().get(account.name()))
                .isPresent()) {
            return;
        }
        String text;
        try {
            text = Files.readString(publicKey).strip();
        } catch (IOException unreadable) {
            throw new CloudException(Reason.INVALID, "publicKeyFile " + publicKey + " cannot be read", unreadable);
        }
        account.api().get(cloud -> cloud.compute().keypairs().create(account.name(), text));
    }

    @Override
    public void delete() throws CloudException {
        Api api = account.api();
        ServerGroups groups = new ServerGroups(account);
        for (JsonNode group : groups.own()) {
            groups.remove(group.path("id").asText());
        }
        // Of directors that are gone.
        List<NetFloatingIP> addresses = api.own(
                "floatingips",
                Map.of(),
                (cloud, query) -> cloud.networking().floatingip().list(query));
        for (NetFloatingIP each : addresses) {
            boolean free = each.getPortId() == null || each.getPortId().isEmpty();
            if (free && account.ownsThing(Things.tags(each))) {
                api.unlessGone(cloud -> cloud.networking().floatingip().delete(each.getId()));
            }
        }
        new Ports(account).removeAllLeft();
        for (String router : allNamed("routers", Map.of())) {
            removeRouter(api, router);
        }
        for (String id : allNamed("subnets", Map.of())) {
            api.unlessGone(cloud -> cloud.networking().subnet().delete(id));
        }
        for (String id : allNamed("networks", Map.of())) {
            api.unlessGone(cloud -> cloud.networking().network().delete(id));
        }
        for (String id : allNamed("security_groups", Map.of())) {
            api.unlessGone(cloud -> cloud.networking().securitygroup().delete(id));
        }
        api.unlessGone(cloud -> cloud.compute().keypairs().delete(account.name()));
    }

    /** A router goes only without its interfaces. */
    static void removeRouter(Api api, String router) throws CloudException {
        for (Port port : FloatingAddress.portsOf(api, router)) {
            if (port.getDeviceOwner() != null && port.getDeviceOwner().contains("router_interface")) {
                api.unlessGone(cloud -> cloud.networking().router().detachInterface(router, null, port.getId()));
            }
        }
        api.unlessGone(cloud -> cloud.networking().router().delete(router));
    }
}
