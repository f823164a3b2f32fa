package org.spillway.localcloud.nova;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.spillway.localcloud.ApiError;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.FrontReply;
import org.spillway.localcloud.LaunchCommand;
import org.spillway.localcloud.MachineType;
import org.spillway.policy.Market;

/** POST /servers: accepted first, and only then looked whether there is room. */
final class ServerMaker {
    private final CloudBehind cloud;
    private final Identity identity;
    private final Network network;
    private final Storage storage;
    private final Reservations reservations;
    private final ServerList servers;
    private final Compute compute;

    ServerMaker(
            CloudBehind cloud,
            Identity identity,
            Network network,
            Storage storage,
            Reservations reservations,
            ServerList servers,
            Compute compute) {
        this.cloud = cloud;
        this.identity = identity;
        this.network = network;
        this.storage = storage;
        this.reservations = reservations;
        this.servers = servers;
        this.compute = compute;
    }

    FrontReply make(JsonNode body, int minor) throws IOException, Said.No {
        JsonNode server = body.path("server");
        if (cloud.manner().strict()) {
            NovaStrict.check(server);
        }
        ServerFields.check(server, minor);
        String flavor = server.path("flavorRef").asText();
        Optional<MachineType> ofReservation = reservations.ofFlavor(flavor);
        MachineType type = ofReservation.isPresent() ? ofReservation.get() : type(flavor);
        String zone = server.path("availability_zone").asText(cloud.zones().getFirst());
        int diskGiB = disk(server);
        NovaBroken.checkServer(cloud, type, server.path("key_name").asText(""));
        check(body, server, zone);
        int count = Math.max(
                1, server.path("max_count").asInt(server.path("min_count").asInt(1)));
        network.checkPorts(ServerFields.ports(server), count);
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ids.add(Things.newId());
        }
        Map<String, String> tags = tags(body, server);
        String hosts = body.path("os:scheduler_hints").path("reservation").asText("");
        String in = ofReservation.isPresent() ? flavor : hosts;
        if (!in.isEmpty()) {
            tags.put(Compute.HIDDEN_RESERVATION, in);
        }
        if (ofReservation.isPresent()) {
            tags.put(Compute.HIDDEN_FLAVOR, Reservations.FLAVOR + flavor);
        }
        int room = in.isEmpty() ? count : Math.min(count, reservations.admits(in) ? reservations.room(in) : 0);
        int failing;
        String message;
        try {
            if (room == 0) {
                throw new ApiError(409, "CAPACITY", "There are not enough hosts available.");
            }
            CloudBehind.Launch launch = cloud.launch(
                    new LaunchCommand(
                            Things.newId(),
                            zone,
                            type.name(),
                            Market.ON_DEMAND,
                            room,
                            "",
                            userData(server),
                            tags,
                            List.of(),
                            ""),
                    ids.subList(0, room));
            // A quota leaves fewer; a shortage is found out later, with each of them.
            failing = launch.reason().equals("CAPACITY")
                    ? count - launch.instances().size()
                    : count - room;
            message = launch.message();
            for (var each : launch.instances()) {
                if (diskGiB > 0) {
                    storage.boot(each.id(), diskGiB, ServerFields.volumeType(server));
                }
                network.bind(ServerFields.ports(server), each.id());
            }
        } catch (ApiError refused) {
            if (!refused.code().equals("CAPACITY")) {
                throw ServerList.refusal(refused.code(), String.valueOf(refused.getMessage()), identity);
            }
            failing = count;
            message = String.valueOf(refused.getMessage());
        }
        List<ObjectNode> errors = new ArrayList<>();
        for (String id : ids.subList(count - failing, count)) {
            String name = tags.getOrDefault(Compute.HIDDEN_NAME, "");
            ObjectNode skeleton = servers.skeleton(id, name, "", type.name(), tags, cloud.now());
            errors.add(ServerList.inError(skeleton, message));
        }
        servers.fail(errors);
        ObjectNode answer = Said.object();
        answer.putObject("server").put("id", ids.getFirst());
        String note = count + " " + type.name() + " in " + zone + ", without a host " + failing;
        return Said.json(202, answer, note).with(compute.ofAnswer(type.name(), zone));
    }

    private MachineType type(String flavor) throws Said.No {
        for (MachineType each : cloud.types()) {
            if (Compute.flavorId(each).equals(flavor)) {
                return each;
            }
        }
        throw Said.No.bad("Invalid flavorRef provided.");
    }

    private int disk(JsonNode server) throws Said.No {
        JsonNode mapping = server.path("block_device_mapping_v2").path(0);
        String image = mapping.isMissingNode()
                ? server.path("imageRef").asText()
                : mapping.path("uuid").asText();
        if (!storage.hasImage(image)) {
            throw Said.No.bad("Invalid imageRef provided.");
        }
        storage.checkType(ServerFields.volumeType(server));
        return mapping.path("volume_size").asInt();
    }

    private void check(JsonNode body, JsonNode server, String zone) throws Said.No {
        if (server.path("name").asText().isEmpty()) {
            throw Said.No.bad("Invalid input for field/attribute name.");
        }
        if (!cloud.zones().contains(zone)) {
            throw Said.No.bad("The requested availability zone is not available");
        }
        if (server.path("networks").isEmpty()) {
            throw Said.No.bad("Invalid input for field/attribute server. 'networks' is a required property");
        }
        for (JsonNode nic : server.path("networks")) {
            String net = nic.path("uuid").asText("");
            if (!nic.has("port") && !network.hasNetwork(net)) {
                throw Said.No.bad("Network " + net + " could not be found.");
            }
        }
        for (JsonNode group : server.path("security_groups")) {
            if (!network.hasGroup(group.path("name").asText())) {
                throw Said.No.bad("Security group " + group.path("name").asText() + " not found for project.");
            }
        }
        String key = server.path("key_name").asText("");
        if (!key.isEmpty() && !compute.hasKey(key)) {
            throw Said.No.bad("Invalid key_name provided.");
        }
        String group = body.path("os:scheduler_hints").path("group").asText("");
        if (!group.isEmpty() && !compute.hasGroup(group)) {
            throw Said.No.bad("Instance group " + group + " could not be found.");
        }
    }

    private Map<String, String> tags(JsonNode body, JsonNode server) throws Said.No {
        Map<String, String> tags = new HashMap<>();
        for (Map.Entry<String, JsonNode> each : server.path("metadata").properties()) {
            String value = each.getValue().asText();
            if (!each.getKey().matches("[A-Za-z0-9_:. -]{1,255}") || value.length() > 255) {
                throw Said.No.bad("Invalid input for field/attribute metadata.");
            }
            tags.put(each.getKey(), value);
        }
        tags.put(Compute.HIDDEN_NAME, server.path("name").asText());
        List<String> nets = network.networksOf(server.path("networks"));
        tags.put(Compute.HIDDEN_NETWORK, nets.getFirst());
        tags.put(Compute.HIDDEN_NETWORKS, String.join(",", nets));
        tags.put(Compute.HIDDEN_PORTS, String.join(",", ServerFields.ports(server)));
        tags.put(Compute.HIDDEN_TAGS, ServerFields.tags(server));
        tags.put(Compute.HIDDEN_DRIVE, server.path("config_drive").asBoolean() ? "True" : "");
        String group = body.path("os:scheduler_hints").path("group").asText("");
        if (!group.isEmpty()) {
            tags.put(Compute.HIDDEN_GROUP, group);
        }
        return tags;
    }

    private static String userData(JsonNode server) throws Said.No {
        try {
            return new String(
                    Base64.getDecoder().decode(server.path("user_data").asText("")), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException bad) {
            throw Said.No.bad("Invalid input for field/attribute user_data.");
        }
    }
}
