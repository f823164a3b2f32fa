package org.spillway.cloud.azure;

import static org.spillway.cloud.azure.AzureDiagnostics.broken;
import static org.spillway.cloud.azure.AzureDiagnostics.good;
import static org.spillway.cloud.azure.AzureDiagnostics.told;
import static org.spillway.cloud.azure.AzureDiagnostics.warning;

import com.azure.core.http.HttpMethod;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.spillway.cloud.Diagnostics.Finding;

/** Checks of what a subscription and a resource group let anybody do: state, registrations, locks, the role. */
final class AzureAccountChecks {
    /** Without these nothing runs; {@code docs/drivers/azure.md} has the whole role. */
    private static final List<String> ACTIONS = List.of(
            "Microsoft.Compute/virtualMachines/read",
            "Microsoft.Compute/virtualMachines/write",
            "Microsoft.Compute/virtualMachines/delete",
            "Microsoft.Compute/virtualMachines/deallocate/action",
            "Microsoft.Compute/virtualMachines/start/action",
            "Microsoft.Compute/virtualMachines/retrieveBootDiagnosticsData/action",
            "Microsoft.Compute/disks/write",
            "Microsoft.Compute/disks/delete",
            "Microsoft.Network/networkInterfaces/read",
            "Microsoft.Network/networkInterfaces/write",
            "Microsoft.Network/networkInterfaces/join/action",
            "Microsoft.Network/networkInterfaces/delete",
            "Microsoft.Network/virtualNetworks/subnets/join/action",
            "Microsoft.Resources/subscriptions/resourceGroups/read");

    /** Of a director's public address. */
    private static final List<String> ADDRESS_ACTIONS = List.of(
            "Microsoft.Network/publicIPAddresses/read",
            "Microsoft.Network/publicIPAddresses/write",
            "Microsoft.Network/publicIPAddresses/join/action",
            "Microsoft.Network/publicIPAddresses/delete");

    private final AzureSettings settings;
    private final Arm arm;

    AzureAccountChecks(AzureParts parts) {
        this.settings = parts.settings();
        this.arm = parts.arm();
    }

    private String subscription() {
        return "/subscriptions/" + settings.subscription();
    }

    /** A disabled one is read only ("Reactivate a disabled Azure subscription"). */
    void state(List<Finding> findings) {
        Answer<JsonNode> answer = arm.raw(HttpMethod.GET, subscription() + "?api-version=2022-12-01");
        String state = answer instanceof Answer.Done<JsonNode> done
                ? done.body().path("state").asText()
                : "";
        if (!state.isEmpty() && !state.equals("Enabled")) {
            findings.add(broken(
                    "subscription",
                    "it is " + Arm.line(state) + ": nothing can be made in it",
                    "have its owner reactivate it in the portal: Subscriptions, " + settings.subscription()));
        }
    }

    /** @return whether it makes sense to ask that provider anything; @param purpose what it is for */
    boolean isRegistered(String namespace, String purpose, List<Finding> findings) {
        Answer<JsonNode> answer =
                arm.raw(HttpMethod.GET, subscription() + "/providers/" + namespace + "?api-version=2021-04-01");
        if (!(answer instanceof Answer.Done<JsonNode> done)) {
            findings.add(warning(
                    "provider " + namespace,
                    told(answer),
                    "allow Microsoft.Resources/subscriptions/providers/read to have it looked at"));
            return true;
        }
        String state = Arm.line(done.body().path("registrationState").asText());
        if (state.equalsIgnoreCase("Registered")) {
            findings.add(good("provider " + namespace, "is registered"));
            return true;
        }
        findings.add(broken(
                "provider " + namespace,
                "is " + state + " in this subscription: " + purpose + " cannot be made",
                "az provider register --namespace " + namespace));
        return false;
    }

    /** Locks of the resource group and of what is above it ("Management Locks - List At Resource Group Level"). */
    void locks(List<Finding> findings) {
        Answer<JsonNode> answer = arm.raw(
                HttpMethod.GET,
                settings.groupId()
                        + "/providers/Microsoft.Authorization/locks?api-version=2020-05-01&%24filter=atScope%28%29");
        if (!(answer instanceof Answer.Done<JsonNode> done)) {
            findings.add(
                    warning("locks", told(answer), "allow Microsoft.Authorization/locks/read to have them looked at"));
            return;
        }
        for (JsonNode lock : done.body().path("value")) {
            String level = lock.at("/properties/level").asText();
            boolean readOnly = level.equalsIgnoreCase("ReadOnly");
            if (readOnly || level.equalsIgnoreCase("CanNotDelete")) {
                findings.add(broken(
                        "locks",
                        Arm.line(lock.path("id").asText()) + " is " + level + ": machines could not be "
                                + (readOnly ? "made" : "deleted, and would go on costing money"),
                        "az lock delete --ids " + Arm.line(lock.path("id").asText())
                                + ", or give the site a resource group without one"));
                return;
            }
        }
        findings.add(good("locks", "none"));
    }

    Finding permissions() {
        Answer<JsonNode> answer = arm.raw(
                HttpMethod.GET,
                settings.groupId() + "/providers/Microsoft.Authorization/permissions?api-version=2022-04-01");
        if (!(answer instanceof Answer.Done<JsonNode> done)) {
            return warning(
                    "permissions", told(answer), "allow Microsoft.Authorization/permissions/read to have it checked");
        }
        List<String> needed = needed(settings.directorPublicAddress());
        List<String> missing = needed.stream()
                .filter(action -> !isAllowed(done.body().path("value"), action))
                .toList();
        return missing.isEmpty()
                ? good("permissions", "all " + needed.size() + " that are needed")
                : broken(
                        "permissions",
                        "not allowed: " + String.join(", ", missing),
                        "assign the role of docs/drivers/azure.md in the resource group: it has "
                                + String.join(", ", missing));
    }

    static List<String> needed(boolean publicAddress) {
        return publicAddress
                ? Stream.concat(ACTIONS.stream(), ADDRESS_ACTIONS.stream()).toList()
                : ACTIONS;
    }

    static boolean isAllowed(JsonNode permissions, String action) {
        for (JsonNode each : permissions) {
            if (matches(each.path("actions"), action) && !matches(each.path("notActions"), action)) {
                return true;
            }
        }
        return false;
    }

    private static boolean matches(JsonNode patterns, String action) {
        for (JsonNode each : patterns) {
            String pattern = Pattern.quote(each.asText()).replace("*", "\\E.*\\Q");
            if (Pattern.compile(pattern, Pattern.CASE_INSENSITIVE)
                    .matcher(action)
                    .matches()) {
                return true;
            }
        }
        return false;
    }
}
