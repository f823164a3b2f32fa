package org.spillway.localcloud.nova;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.spillway.cloud.Instance;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.FrontReply;
import org.spillway.localcloud.InstanceRecord;

/** Ports that are made before their server: "Ports" and "Port binding extended attributes" of the Networking API. */
final class ServerPorts {
    /** {@code neutron_lib.api.definitions.portbindings.VNIC_TYPES}. */
    private static final Set<String> VNIC_TYPES = Set.of(
            "normal",
            "direct",
            "direct-physical",
            "macvtap",
            "baremetal",
            "virtio-forwarder",
            "vdpa",
            "smart-nic",
            "accelerator-direct",
            "accelerator-direct-physical",
            "remote-managed");

    private ServerPorts() {}

    /** "Extensions" of the Networking API, {@code GET /v2.0/extensions/ALIAS}. */
    static FrontReply extension(CloudBehind cloud, String alias) throws Said.No {
        if (!alias.equals("binding") || NovaBroken.NO_PORT_BINDING.is(cloud)) {
            throw new Said.No(404, "Extension with alias " + alias + " does not exist");
        }
        ObjectNode body = Said.object();
        body.putObject("extension")
                .put("alias", alias)
                .put("name", "Port Binding")
                .put("updated", "2014-02-03T10:00:00-00:00")
                .putArray("links");
        return Said.json(200, body, alias);
    }

    static void check(JsonNode port) throws Said.No {
        String type = port.path("binding:vnic_type").asText("normal");
        if (!VNIC_TYPES.contains(type)) {
            throw Said.No.bad("Invalid input for binding:vnic_type. Reason: '" + type + "' is not in "
                    + VNIC_TYPES.stream().sorted().toList() + ".");
        }
    }

    /** The words are nova's: MultiplePortsNotApplicable, PortNotFound, PortInUse. */
    static void check(List<String> ids, int count, Function<String, Optional<ObjectNode>> find, CloudBehind cloud)
            throws Said.No {
        if (!ids.isEmpty() && count > 1) {
            throw Said.No.bad("Failed to launch instances: Unable to launch multiple instances with a single configured"
                    + " port ID. Please launch your instance one by one with different ports.");
        }
        for (String id : ids) {
            ObjectNode port = find.apply(id).orElseThrow(() -> Said.No.bad("Port id " + id + " could not be found."));
            if (!asSeen(port, cloud).path("device_id").asText().isEmpty()) {
                throw new Said.No(409, "Port " + id + " is still in use.");
            }
        }
    }

    /** A port that outlives its server is free again: Nova deletes only those that it made itself. */
    static ObjectNode asSeen(ObjectNode port, CloudBehind cloud) {
        boolean servers = port.path("device_owner").asText("").startsWith("compute:");
        if (!servers) {
            return port;
        }
        Optional<InstanceRecord> server = cloud.find(port.path("device_id").asText());
        if (server.filter(each -> each.state() != Instance.State.TERMINATED).isEmpty()) {
            return port.put("device_id", "").put("device_owner", "").put("status", "DOWN");
        }
        ObjectNode seen = port.deepCopy();
        seen.putArray("fixed_ips").addObject().put("ip_address", server.get().address());
        return seen;
    }
}
