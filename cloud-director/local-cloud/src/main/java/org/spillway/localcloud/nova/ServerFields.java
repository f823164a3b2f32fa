package org.spillway.localcloud.nova;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** Fields of a new server that came with a microversion, as {@code nova/api/openstack/compute/schemas/servers.py} has them. */
final class ServerFields {
    private static final int VOLUME_TYPE = 67;

    private ServerFields() {}

    static void check(JsonNode server, int minor) throws Said.No {
        JsonNode disk = server.path("block_device_mapping_v2").path(0);
        if (disk.has("volume_type") && minor < VOLUME_TYPE) {
            throw Said.No.bad("Invalid input for field/attribute 0. Additional properties are not allowed"
                    + " ('volume_type' was unexpected)");
        }
        if (disk.has("volume_type") && !disk.path("destination_type").asText().equals("volume")) {
            throw Said.No.bad("Block Device Mapping is Invalid: Specifying a volume_type with destination_type=local is"
                    + " not supported.");
        }
        if (server.has("config_drive") && !server.path("config_drive").isBoolean()) {
            throw Said.No.bad("Invalid config_drive provided.");
        }
        for (JsonNode nic : server.path("networks")) {
            if (nic.has("uuid") == nic.has("port")) {
                throw Said.No.bad("Invalid input for field/attribute networks: a network or a port");
            }
        }
    }

    static String volumeType(JsonNode server) {
        return server.path("block_device_mapping_v2")
                .path(0)
                .path("volume_type")
                .asText("");
    }

    /** Ids of the ports that were made before it. */
    static List<String> ports(JsonNode server) {
        List<String> ports = new ArrayList<>();
        for (JsonNode nic : server.path("networks")) {
            if (nic.has("port")) {
                ports.add(nic.path("port").asText());
            }
        }
        return ports;
    }

    /** With commas between; a tag has none. */
    static String tags(JsonNode server) {
        return String.join(
                ",", server.path("tags").valueStream().map(JsonNode::asText).toList());
    }
}
