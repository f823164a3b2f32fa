package org.spillway.localcloud.arm;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Machines that the resource manager's documents call invalid. Each check names its document. */
final class ArmStrict {
    private static final int MOST_TAGS = 50;
    private static final int LONGEST_TAG_NAME = 512;
    private static final int LONGEST_TAG_VALUE = 256;
    private static final int MOST_CUSTOM_DATA = 87_380;

    private ArmStrict() {}

    static void check(String name, JsonNode body) throws ArmFault {
        JsonNode properties = body.path("properties");
        spot(properties);
        tags(body.path("tags"));
        // "Naming rules and restrictions for Azure resources", Microsoft.Compute/virtualMachines of Linux.
        if (!name.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,63}") || name.endsWith(".") || name.endsWith("-")) {
            throw ArmFault.invalid("name", "The value '" + name + "' is not a virtual machine's name.");
        }
        // "Custom data and cloud-init on Azure Virtual Machines": 64 KB, encoded 87,380 characters.
        if (properties.at("/osProfile/customData").asText().getBytes(StandardCharsets.UTF_8).length
                > MOST_CUSTOM_DATA) {
            throw ArmFault.invalid("customData", "Custom data in OSProfile must be no more than 87380 characters.");
        }
    }

    /** "Error messages for Azure Spot Virtual Machines and scale sets". */
    private static void spot(JsonNode properties) throws ArmFault {
        boolean spot = properties.path("priority").asText().equals("Spot");
        if (spot && !properties.path("availabilitySet").isMissingNode()) {
            throw new ArmFault(
                    400,
                    "AzureSpotVMNotSupportedInAvailabilitySet",
                    "Azure Spot Virtual Machine is not supported in Availability Set.");
        }
        if (!spot && !properties.path("evictionPolicy").isMissingNode()) {
            throw new ArmFault(
                    400,
                    "EvictionPolicyCanBeSetOnlyOnAzureSpotVirtualMachines",
                    "Eviction policy can be set only on Azure Spot Virtual Machines.");
        }
    }

    /** "Use tags to organize your Azure resources": limitations. */
    private static void tags(JsonNode tags) throws ArmFault {
        if (tags.size() > MOST_TAGS) {
            throw new ArmFault(400, "BadRequest", "A resource can have at most " + MOST_TAGS + " tags.");
        }
        for (Map.Entry<String, JsonNode> tag : tags.properties()) {
            if (tag.getKey().length() > LONGEST_TAG_NAME
                    || tag.getKey().matches(".*[<>%&\\\\?/].*")
                    || tag.getValue().asText().length() > LONGEST_TAG_VALUE) {
                throw new ArmFault(400, "BadRequest", "The tag '" + tag.getKey() + "' is too long or is not allowed.");
            }
        }
    }
}
