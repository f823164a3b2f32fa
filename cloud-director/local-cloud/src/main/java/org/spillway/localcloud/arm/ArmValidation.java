package org.spillway.localcloud.arm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import org.spillway.localcloud.CloudBehind;

/**
 * "Deployments - Validate": whether a template would be accepted, with policies and quotas looked at before anything is made. What
 * is wrong stands below a code that says nothing ("Resolve errors for request disallowed by policy").
 */
final class ArmValidation {
    private ArmValidation() {}

    static ArmAnswer of(CloudBehind cloud, String name, JsonNode body) throws ArmFault {
        JsonNode resources = body.at("/properties/template/resources");
        if (!resources.isArray() || resources.isEmpty()) {
            throw new ArmFault(400, "InvalidTemplate", "Deployment template validation failed: it has no resources.");
        }
        for (JsonNode each : resources) {
            if (!each.path("type").asText().equalsIgnoreCase("Microsoft.Compute/virtualMachines")
                    || each.path("name").asText().isEmpty()
                    || each.path("apiVersion").asText().isEmpty()) {
                throw new ArmFault(
                        400,
                        "InvalidTemplate",
                        "Deployment template validation failed: a resource lacks type, name or apiVersion.");
            }
            try {
                ArmBroken.checkMachine(cloud, each.path("name").asText(), each);
            } catch (ArmFault wrong) {
                ObjectNode answer = JsonNodeFactory.instance.objectNode();
                answer.putObject("error")
                        .put("code", "InvalidTemplateDeployment")
                        .put(
                                "message",
                                "The template deployment '" + name
                                        + "' is not valid according to the validation procedure. See inner errors for details.")
                        .putArray("details")
                        .addObject()
                        .put("code", wrong.code())
                        .put("target", each.path("name").asText())
                        .put("message", wrong.getMessage());
                return new ArmAnswer(400, answer, "", wrong.code(), Optional.empty());
            }
        }
        ObjectNode good = JsonNodeFactory.instance.objectNode().put("name", name);
        good.putObject("properties").put("provisioningState", "Succeeded");
        return ArmAnswer.ok(good, "valid");
    }
}
