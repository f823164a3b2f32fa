package org.spillway.cloud.openstack;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchRequest;
import org.spillway.policy.OfferingId;

/**
 * Body of {@code POST /servers}, written by hand: OpenStack4j's ServerCreateBuilder (3.12) sets neither {@code min_count},
 * {@code max_count}, {@code tags} nor {@code volume_type}.
 *
 * @param networks the interfaces, in their order
 * @param portGroupId the security group's id, where ports are made before; empty for the project's default
 * @param groupId of the server group; empty for none
 */
record ServerBody(String imageId, List<Nic> networks, String securityGroup, String portGroupId, String groupId) {
    ServerBody {
        networks = List.copyOf(networks);
    }

    /**
     * An interface.
     *
     * @param name of the network
     * @param vnicType of a port that is made before the server; empty for one that Nova makes
     */
    record Nic(String networkId, String name, String vnicType) {}

    /**
     * A place for servers.
     *
     * @param in the reservation that they go into; null for none
     */
    record Seat(OfferingId offering, String flavorId, Leases.@Nullable Reserved in) {}

    /** The least of Nova's versions that has what the site wants. */
    static ComputeFeature feature(OpenStackSettings settings) {
        return settings.server().volumeType().isEmpty() ? ComputeFeature.BASE : ComputeFeature.VOLUME_TYPE;
    }

    /** @param ports of the interfaces that have one already, by the network's id */
    ObjectNode of(
            Account account, LaunchRequest request, Seat seat, String name, int count, Map<String, String> ports) {
        OpenStackSettings settings = account.settings();
        ObjectNode root = JsonNodeFactory.instance.objectNode();
        ObjectNode server = root.putObject("server");
        server.put("name", name)
                .put("flavorRef", seat.flavorId())
                .put("availability_zone", seat.offering().zone());
        disk(settings, server);
        ArrayNode nics = server.putArray("networks");
        for (Nic each : networks) {
            String port = ports.get(each.networkId());
            nics.addObject().put(port == null ? "uuid" : "port", port == null ? each.networkId() : port);
        }
        if (!securityGroup.isEmpty()) {
            server.putArray("security_groups").addObject().put("name", securityGroup);
        }
        String key = settings.publicKeyFile() == null ? settings.keyName() : account.networkName();
        if (!key.isEmpty()) {
            server.put("key_name", key);
        }
        settings.server().configDrive().ifPresent(drive -> server.put("config_drive", drive));
        server.put(
                "user_data",
                Base64.getEncoder().encodeToString(request.userData().getBytes(StandardCharsets.UTF_8)));
        ObjectNode metadata = server.putObject("metadata");
        metadata(account, request, seat).forEach(metadata::put);
        server.putArray("tags").add(account.serverTag());
        server.put("min_count", 1).put("max_count", count);
        hints(seat)
                .forEach((hint, value) -> root.withObject("/os:scheduler_hints").put(hint, value));
        return root;
    }

    /** A reservation's own group stands above the site's: without it Nova lets nothing into the reservation. */
    private Map<String, String> hints(Seat seat) {
        Map<String, String> hints = new TreeMap<>();
        if (!groupId.isEmpty()) {
            hints.put("group", groupId);
        }
        Leases.Reserved in = seat.in();
        if (in != null && in.hosts()) {
            hints.put("reservation", in.id());
        } else if (in != null && !in.serverGroup().isEmpty()) {
            hints.put("group", in.serverGroup());
        }
        return hints;
    }

    private void disk(OpenStackSettings settings, ObjectNode server) {
        if (settings.diskGiB() == 0) {
            server.put("imageRef", imageId);
            return;
        }
        server.put("imageRef", "");
        ObjectNode disk = server.putArray("block_device_mapping_v2")
                .addObject()
                .put("boot_index", 0)
                .put("uuid", imageId)
                .put("source_type", "image")
                .put("destination_type", "volume")
                .put("volume_size", settings.diskGiB())
                .put("delete_on_termination", true);
        if (!settings.server().volumeType().isEmpty()) {
            disk.put("volume_type", settings.server().volumeType());
        }
    }

    private Map<String, String> metadata(Account account, LaunchRequest request, Seat seat) {
        Map<String, String> tags = new HashMap<>(request.tags());
        tags.put(Instance.TAG_CLUSTER, account.site().cluster());
        tags.put(Instance.TAG_SITE, account.site().site());
        tags.put(Instance.TAG_INTENT, request.intent());
        tags.put(Instance.TAG_ATTEMPT, Integer.toString(request.attempt()));
        tags.put(Servers.TAG_ZONE, seat.offering().zone());
        if (seat.in() != null) {
            tags.put(Servers.TAG_RESERVATION, seat.in().id());
        }
        tags.put(Servers.TAG_REQUEST, request.token());
        if (networks.size() > 1) {
            tags.put(Servers.TAG_NETWORK, networks.getFirst().name());
        }
        if (account.settings().server().hasPorts()) {
            tags.put(Servers.TAG_PORTS, "own");
        }
        if (!request.placement().fabricGroup().isEmpty()) {
            tags.put(Servers.TAG_GROUP, request.placement().fabricGroup());
        }
        return tags;
    }
}
