package org.spillway.localcloud.nova;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.spillway.cloud.Instance;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.FrontReply;
import org.spillway.localcloud.InstanceRecord;

/**
 * Neutron on paper: a network {@code lan} with the servers' real addresses on it, a network {@code public} outside, and
 * what is made. Its rules let everything through.
 */
final class Network implements NovaFront.Service {
    static final String LAN = "5f0c0000-0000-4000-8000-000000000002";
    private static final String OUTSIDE = "5f0c0000-0000-4000-8000-000000000003";
    private static final String LAN_SUBNET = "5f0c0000-0000-4000-8000-000000000004";
    private static final int MAX_INSTANCES = 100_000;
    private final CloudBehind cloud;
    private final Map<String, Things> kinds = new HashMap<>();

    Network(CloudBehind cloud, Path folder) throws IOException {
        this.cloud = cloud;
        kind("networks", new Things("network", "networks", folder));
        kind("subnets", new Things("subnet", "subnets", folder));
        kind("routers", new Things("router", "routers", folder));
        kind("ports", new Things("port", "ports", folder));
        kind("floatingips", new Things("floatingip", "floatingips", folder));
        kind("security-groups", new Things("security_group", "security_groups", folder));
        kind("security-group-rules", new Things("security_group_rule", "security_group_rules", folder));
        if (of("networks").find(LAN).isEmpty()) {
            ObjectNode lan = Said.object()
                    .put("id", LAN)
                    .put("name", "lan")
                    .put("project_id", Identity.PROJECT)
                    .put("tenant_id", Identity.PROJECT)
                    .put("router:external", false);
            lan.putArray("subnets").add(LAN_SUBNET);
            ObjectNode outside =
                    Said.object().put("id", OUTSIDE).put("name", "public").put("router:external", true);
            outside.putArray("subnets");
            of("networks").shelf().put(List.of(lan, outside));
            ObjectNode group = Said.object()
                    .put("id", Things.newId())
                    .put("name", "default")
                    .put("project_id", Identity.PROJECT)
                    .put("tenant_id", Identity.PROJECT);
            of("security-groups").shelf().put(List.of(group));
        }
    }

    private void kind(String path, Things things) {
        kinds.put(path, things);
    }

    private Things of(String path) {
        Things things = kinds.get(path);
        if (things == null) {
            throw new IllegalArgumentException(path);
        }
        return things;
    }

    boolean hasNetwork(String id) {
        return of("networks").find(id).isPresent();
    }

    boolean hasGroup(String idOrName) {
        return of("security-groups").shelf().all().stream()
                .anyMatch(each -> each.path("id").asText().equals(idOrName)
                        || each.path("name").asText().equals(idOrName));
    }

    /** Ids of the networks that a server's interfaces are in, by their own word or by their ports'. */
    List<String> networksOf(JsonNode nics) {
        List<String> all = new ArrayList<>();
        for (JsonNode nic : nics) {
            all.add(of("ports")
                    .find(nic.path("port").asText())
                    .map(port -> port.path("network_id").asText())
                    .orElse(nic.path("uuid").asText()));
        }
        return all;
    }

    /** Ports that a server is to have: they are there and free, and one server takes them. */
    void checkPorts(List<String> ids, int count) throws Said.No {
        ServerPorts.check(ids, count, of("ports")::find, cloud);
    }

    /** From then on the ports are the server's. */
    void bind(List<String> ids, String server) throws IOException, Said.No {
        for (String id : ids) {
            of("ports")
                    .shelf()
                    .put(List.of(of("ports")
                            .known(id)
                            .put("device_id", server)
                            .put("device_owner", "compute:a")
                            .put("status", "ACTIVE")));
        }
    }

    String nameOf(String network) {
        return of("networks")
                .find(network)
                .map(each -> each.path("name").asText())
                .orElse("lan");
    }

    /** The floating address of a server's port. */
    Optional<String> floating(String server) {
        String port = portId(server);
        return of("floatingips").shelf().all().stream()
                .filter(each -> each.path("port_id").asText().equals(port))
                .map(each -> each.path("floating_ip_address").asText())
                .findFirst();
    }

    private static String portId(String server) {
        return UUID.nameUUIDFromBytes(("port of " + server).getBytes(StandardCharsets.UTF_8))
                .toString();
    }

    @Override
    public FrontReply answer(NovaFront.Asked asked) throws IOException, Said.No {
        if (asked.word(0).equals("extensions") && asked.method().equals("GET")) {
            return ServerPorts.extension(cloud, asked.word(1));
        }
        Things things = kinds.get(asked.word(0));
        if (things == null) {
            throw Said.No.missing("Path", String.join("/", asked.words()));
        }
        String id = asked.word(1);
        return switch (asked.method()) {
            case "GET" -> {
                boolean ports = asked.word(0).equals("ports");
                yield !id.isEmpty()
                        ? things.show(id)
                        : ports ? things.page(asked.query(), ports()) : things.page(asked.query(), seen(things));
            }
            case "POST" -> make(asked.word(0), asked.body());
            case "PUT" -> interfaceOf(id, asked.word(2), asked.body());
            case "DELETE" -> delete(asked.word(0), id);
            default -> throw new Said.No(405, "Method Not Allowed");
        };
    }

    /** Networks that are shared with the project. */
    private List<ObjectNode> seen(Things things) {
        boolean blind = NovaBroken.NO_EXTERNAL_NETWORK.is(cloud);
        return things.shelf().all().stream()
                .filter(each -> !blind || !each.path("router:external").asBoolean())
                .toList();
    }

    private FrontReply make(String kind, JsonNode body) throws IOException, Said.No {
        ObjectNode fresh = Said.object();
        // An administrator may make things for others.
        fresh.put("project_id", Identity.PROJECT)
                .put("tenant_id", Identity.PROJECT)
                .put("name", "")
                .put("description", "")
                .putArray("tags");
        switch (kind) {
            case "networks" -> fresh.put("router:external", false).putArray("subnets");
            case "ports" -> {
                ServerPorts.check(body.path("port"));
                fresh.put("device_id", "")
                        .put("device_owner", "")
                        .put("status", "DOWN")
                        .put(
                                "created_at",
                                cloud.now().truncatedTo(ChronoUnit.SECONDS).toString())
                        .putArray("fixed_ips");
            }
            case "floatingips" -> {
                if (!hasNetwork(
                        body.path("floatingip").path("floating_network_id").asText())) {
                    throw Said.No.bad("Invalid input for operation: network of a floating IP.");
                }
                int last = of("floatingips").shelf().all().size() % 250 + 2;
                fresh.put("floating_ip_address", "192.0.2." + last);
            }
            case "security-group-rules" -> refuseTwin(body.path("security_group_rule"));
            default -> {
                // Nothing to add.
            }
        }
        FrontReply reply = of(kind).make(body, fresh, 201);
        if (kind.equals("subnets")) {
            join(body.path("subnet").path("network_id").asText());
        }
        return reply;
    }

    private void refuseTwin(JsonNode rule) throws Said.No {
        for (ObjectNode each : of("security-group-rules").shelf().all()) {
            ObjectNode other = each.deepCopy();
            other.remove(List.of("id", "name", "tags", "description"));
            ObjectNode mine = rule.deepCopy();
            mine.remove(List.of("description"));
            if (other.equals(mine)) {
                throw new Said.No(409, "Security group rule already exists.");
            }
        }
    }

    /** A network lists its subnets. */
    private void join(String network) throws IOException, Said.No {
        ObjectNode known = of("networks").known(network);
        var subnets = known.putArray("subnets");
        of("subnets").shelf().all().stream()
                .filter(each -> each.path("network_id").asText().equals(network))
                .forEach(each -> subnets.add(each.path("id").asText()));
        of("networks").shelf().put(List.of(known));
    }

    private FrontReply interfaceOf(String router, String verb, JsonNode body) throws IOException, Said.No {
        of("routers").known(router);
        if (verb.equals("add_router_interface")) {
            String subnet = body.path("subnet_id").asText();
            ObjectNode known = of("subnets").known(subnet);
            ObjectNode port = Said.object()
                    .put("id", Things.newId())
                    .put("name", "")
                    .put("project_id", Identity.PROJECT)
                    .put("tenant_id", Identity.PROJECT)
                    .put("device_id", router)
                    .put("device_owner", "network:router_interface")
                    .put("network_id", known.path("network_id").asText());
            port.putArray("fixed_ips").addObject().put("subnet_id", subnet);
            of("ports").shelf().put(List.of(port));
            return Said.json(200, body, verb);
        }
        if (verb.equals("remove_router_interface")) {
            of("ports").delete(body.path("port_id").asText(), 200);
            return Said.json(200, body, verb);
        }
        throw Said.No.missing("Path", verb);
    }

    private FrontReply delete(String kind, String id) throws IOException, Said.No {
        of(kind).known(id);
        String holder = switch (kind) {
            case "networks" -> used(ports(), "network_id", id);
            case "subnets" ->
                ports().stream()
                        .filter(port -> port.path("fixed_ips")
                                .path(0)
                                .path("subnet_id")
                                .asText()
                                .equals(id))
                        .map(port -> port.path("id").asText())
                        .findFirst()
                        .orElse("");
            case "routers" -> used(of("ports").shelf().all(), "device_id", id);
            default -> "";
        };
        if (!holder.isEmpty()) {
            throw new Said.No(
                    409, "Unable to complete operation: one or more ports are in use, such as " + holder + ".");
        }
        if (kind.equals("networks")) {
            for (ObjectNode subnet : of("subnets").shelf().all()) {
                if (subnet.path("network_id").asText().equals(id)) {
                    of("subnets").shelf().remove(subnet.path("id").asText());
                }
            }
        }
        if (kind.equals("security-groups")) {
            for (ObjectNode rule : of("security-group-rules").shelf().all()) {
                if (rule.path("security_group_id").asText().equals(id)) {
                    of("security-group-rules").shelf().remove(rule.path("id").asText());
                }
            }
        }
        return of(kind).delete(id, 204);
    }

    private static String used(List<ObjectNode> ports, String field, String id) {
        return ports.stream()
                .filter(port -> port.path(field).asText().equals(id))
                .map(port -> port.path("id").asText())
                .findFirst()
                .orElse("");
    }

    /** Ports that were made, and that of each server. */
    private List<ObjectNode> ports() {
        List<ObjectNode> all = new ArrayList<>();
        for (ObjectNode made : of("ports").shelf().all()) {
            all.add(ServerPorts.asSeen(made, cloud));
        }
        for (InstanceRecord each : cloud.list(Map.of(), "", MAX_INSTANCES)) {
            boolean own = !each.tags().getOrDefault(Compute.HIDDEN_PORTS, "").isEmpty();
            if (each.state() != Instance.State.TERMINATED && !own) {
                ObjectNode port = Said.object()
                        .put("id", portId(each.id()))
                        .put("name", "")
                        .put("description", "")
                        .put("project_id", Identity.PROJECT)
                        .put("tenant_id", Identity.PROJECT)
                        .put("device_id", each.id())
                        .put("device_owner", "compute:" + each.zone())
                        .put("network_id", each.tags().getOrDefault(Compute.HIDDEN_NETWORK, LAN));
                port.putArray("fixed_ips").addObject().put("ip_address", each.address());
                all.add(port);
            }
        }
        all.sort(java.util.Comparator.comparing(port -> port.path("id").asText()));
        return all;
    }
}
