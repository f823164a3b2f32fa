package org.spillway.cloud.azure;

import static org.spillway.cloud.azure.AzureDiagnostics.broken;
import static org.spillway.cloud.azure.AzureDiagnostics.good;
import static org.spillway.cloud.azure.AzureDiagnostics.told;
import static org.spillway.cloud.azure.AzureDiagnostics.warning;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Map;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchRequest;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

/**
 * A machine's PUT as a template that is validated and not deployed ("Deployments - Validate"): the resource manager looks at
 * policies, linked rights and quotas, and makes nothing.
 */
final class AzureDryRun {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String NAME = "spillway-doctor";
    private static final String CHECK = "dry run";
    private final AzureParts parts;

    AzureDryRun(AzureParts parts) {
        this.parts = parts;
    }

    Finding of(Size size, String subnet, String image) {
        AzureSettings settings = parts.settings();
        String zone = size.zones().stream().sorted().findFirst().orElse(settings.location());
        LaunchRequest request = LaunchRequest.of(
                        NAME, 1, new OfferingId(parts.site().site(), zone, size.name(), Market.ON_DEMAND), 1)
                .withImage(image)
                // A director's has a public address, which policies are about.
                .withTags(Map.of(Instance.TAG_ROLE, "DIRECTOR"));
        MachineBody.Place place = new MachineBody.Place(
                subnet,
                "",
                "",
                "",
                false,
                size.acceleratedNetworking(),
                MachineBody.Place.cores(size),
                MachineBody.nobodysKey(NAME));
        String body;
        try {
            body = template(new MachineBody(settings, parts.names())
                    .of(request, request.offering(), NAME, place)
                    .toJsonString());
        } catch (IOException unwritable) {
            return warning(CHECK, "not made: " + unwritable.getMessage(), "report it");
        }
        Answer<JsonNode> answer = parts.arm()
                .post(
                        settings.groupId() + "/providers/Microsoft.Resources/deployments/" + NAME
                                + "/validate?api-version=2021-04-01",
                        body);
        return switch (answer) {
            case Answer.Done<JsonNode> done -> good(CHECK, "a " + size.name() + " would be made");
            case Answer.Refused<JsonNode> no
            when no.code().equals("AuthorizationFailed") ->
                warning(
                        CHECK,
                        no.message(),
                        "allow Microsoft.Resources/deployments/validate/action to have policies looked at");
            case Answer.Refused<JsonNode> no
            when no.code().equals("RequestDisallowedByPolicy") ->
                broken(
                        CHECK,
                        no.message(),
                        "have who assigned that policy exempt the resource group (az policy exemption create), or choose what"
                                + " it allows");
            case Answer.Refused<JsonNode> no ->
                broken(CHECK, no.message(), "correct what it names; a launch would be refused alike");
            case Answer.Unsent<JsonNode> unsent -> warning(CHECK, told(unsent), "ask again");
            case Answer.Unclear<JsonNode> unclear ->
                warning(CHECK, told(unclear), "correct what it names; a launch may be refused alike");
        };
    }

    private static String template(String machine) throws IOException {
        ObjectNode resource = (ObjectNode) JSON.readTree(machine);
        resource.put("type", "Microsoft.Compute/virtualMachines")
                .put("apiVersion", "2024-07-01")
                .put("name", NAME);
        ObjectNode body = JSON.createObjectNode();
        ObjectNode template =
                body.putObject("properties").put("mode", "Incremental").putObject("template");
        template.put("$schema", "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#")
                .put("contentVersion", "1.0.0.0")
                .putArray("resources")
                .add(resource);
        return JSON.writeValueAsString(body);
    }
}
