package org.spillway.localcloud.arm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.Map;

/** Parts that are made with a machine and go with it: its disk, its interfaces, their public addresses. */
final class ArmParts {
    private final ArmId owner;
    private final ObjectNode machine;
    private final Map<String, ObjectNode> made = new LinkedHashMap<>();

    /** @param machine is told the ids of its parts */
    ArmParts(ArmId owner, ObjectNode machine) {
        this.owner = owner;
        this.machine = machine;
    }

    /** By key. @param address of the machine, under which it is reached in public and in private */
    Map<String, ObjectNode> make(String address) {
        disk();
        ObjectNode profile = machine.withObject("/properties/networkProfile");
        ArrayNode references = JsonNodeFactory.instance.arrayNode();
        for (JsonNode wanted : profile.path("networkInterfaceConfigurations")) {
            references.add(nic(wanted, address));
        }
        profile.remove("networkInterfaceConfigurations");
        if (!references.isEmpty()) {
            profile.set("networkInterfaces", references);
        }
        return made;
    }

    private void disk() {
        ObjectNode disk = machine.withObject("/properties/storageProfile/osDisk");
        String name = disk.path("name").asText(owner.name() + "_OsDisk");
        ArmId id = owner.sibling("Microsoft.Compute/disks", name);
        ObjectNode resource = resource(id, machine.path("tags"));
        resource.put("managedBy", owner.text());
        resource.putObject("sku").set("name", disk.at("/managedDisk/storageAccountType"));
        resource.putObject("properties")
                .put("diskState", "Attached")
                .put("provisioningState", "Succeeded")
                .put("diskSizeGB", disk.path("diskSizeGB").asInt(30));
        disk.withObject("/managedDisk").put("id", id.text());
        made.put(id.key(), resource);
    }

    private ObjectNode nic(JsonNode wanted, String address) {
        ArmId id = owner.sibling(
                "Microsoft.Network/networkInterfaces", wanted.path("name").asText());
        ObjectNode resource = resource(id, wanted.path("tags"));
        ObjectNode properties = resource.putObject("properties").put("provisioningState", "Succeeded");
        properties.putObject("virtualMachine").put("id", owner.text());
        JsonNode rules = wanted.at("/properties/networkSecurityGroup");
        if (rules.isObject()) {
            properties.set("networkSecurityGroup", rules);
        }
        ArrayNode configurations = properties.putArray("ipConfigurations");
        for (JsonNode ip : wanted.at("/properties/ipConfigurations")) {
            ObjectNode configuration = configurations.addObject();
            configuration.set("name", ip.path("name"));
            ObjectNode inner = configuration.putObject("properties").put("privateIPAddress", address);
            inner.set("subnet", ip.at("/properties/subnet"));
            JsonNode groups = ip.at("/properties/applicationSecurityGroups");
            if (groups.isArray()) {
                inner.set("applicationSecurityGroups", groups);
            }
            JsonNode open = ip.at("/properties/publicIPAddressConfiguration");
            if (open.isObject()) {
                inner.putObject("publicIPAddress").put("id", publicAddress(open, address));
            }
        }
        made.put(id.key(), resource);
        ObjectNode reference = JsonNodeFactory.instance.objectNode().put("id", id.text());
        reference.putObject("properties").set("deleteOption", wanted.at("/properties/deleteOption"));
        return reference;
    }

    private String publicAddress(JsonNode wanted, String address) {
        ArmId id = owner.sibling(
                "Microsoft.Network/publicIPAddresses", wanted.path("name").asText());
        ObjectNode resource = resource(id, wanted.path("tags"));
        resource.set("sku", wanted.path("sku"));
        resource.putObject("properties").put("provisioningState", "Succeeded").put("ipAddress", address);
        made.put(id.key(), resource);
        return id.text();
    }

    private ObjectNode resource(ArmId id, JsonNode tags) {
        ObjectNode resource = JsonNodeFactory.instance.objectNode();
        ArmResources.identify(resource, id);
        resource.set("location", machine.path("location"));
        resource.set("tags", tags.isObject() ? tags : JsonNodeFactory.instance.objectNode());
        return resource;
    }
}
