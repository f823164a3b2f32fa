package org.spillway.localcloud.arm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.Manner;

/** Things that can be wrong with a subscription, each with the document that shows how the resource manager tells it. */
enum ArmBroken {
    /** "Troubleshoot Azure RBAC": AuthorizationFailed; "Resolve errors for linked resources". */
    DENIED("denied" + Manner.ACTION),
    /** "Resolve errors for resource provider registration"; usages are empty, as in MicrosoftLearning/AZ-140, issue 2. */
    UNREGISTERED_COMPUTE("unregistered-compute"),
    /** The same; microsoft/vscode-azurevirtualmachines, issue 187. */
    UNREGISTERED_NETWORK("unregistered-network"),
    /** "Lock your Azure resources to protect your infrastructure"; "Management Locks - List At Resource Group Level". */
    LOCKED_READONLY("locked-readonly"),
    /** The same. */
    LOCKED_DELETE("locked-delete"),
    /** "Resolve errors for resource quotas"; "Usage - List". */
    GPU_QUOTA("gpu-quota"),
    /** "Azure Spot Virtual Machines": quota of their own, lowPriorityCores. */
    SPOT_QUOTA("spot-quota"),
    /** "Resolve errors for request disallowed by policy". */
    POLICY("policy"),
    /** "Support for generation 2 VMs on Azure"; "Virtual Machine Images - Get": hyperVGeneration. */
    IMAGE_GENERATION("image-generation"),
    /** "Virtual Machine Images - Get": architecture. */
    IMAGE_ARCHITECTURE("image-architecture"),
    /** "Microsoft Entra authentication and authorization error codes": AADSTS7000222. */
    EXPIRED_SECRET("expired-secret"),
    /** "Reactivate a disabled Azure subscription"; "Troubleshoot common Azure deployment errors". */
    SUBSCRIPTION_DISABLED("subscription-disabled"),
    /** "Virtual Machine Images - Get": plan; the sentence as in Azure/sap-automation, issue 433. */
    IMAGE_PLAN("image-plan"),
    /** "Configure managed identities on Azure VMs": whoever makes the machine must be allowed to assign the identity. */
    NO_IDENTITY_ASSIGN("no-identity-assign");

    private static final String COMPUTE = "Microsoft.Compute";
    private static final String NETWORK = "Microsoft.Network";
    private static final String ADDRESS = "Microsoft.Network/publicIPAddresses/write";
    private final String word;

    ArmBroken(String word) {
        this.word = word;
    }

    static Set<String> words() {
        return Arrays.stream(values()).map(kind -> kind.word).collect(Collectors.toSet());
    }

    boolean is(CloudBehind cloud) {
        return cloud.manner().is(word);
    }

    /** Actions that the role does not have. */
    static List<String> denied(CloudBehind cloud) {
        return cloud.manner().broken().stream()
                .filter(each -> each.startsWith("denied:"))
                .map(each -> each.substring("denied:".length()))
                .toList();
    }

    static boolean isRegistered(CloudBehind cloud, String namespace) {
        return !(namespace.equalsIgnoreCase(COMPUTE) && UNREGISTERED_COMPUTE.is(cloud))
                && !(namespace.equalsIgnoreCase(NETWORK) && UNREGISTERED_NETWORK.is(cloud));
    }

    /** Faults that keep a call from being looked at. @param path its words */
    static void check(CloudBehind cloud, String method, List<String> path) throws ArmFault {
        int providers = path.indexOf("providers");
        String namespace = providers < 0 || providers + 1 >= path.size() ? "" : path.get(providers + 1);
        if (providers > 0 && providers + 2 < path.size()) {
            String action = action(method, namespace, path.subList(providers + 2, path.size()));
            if (denied(cloud).stream().anyMatch(action::equalsIgnoreCase)) {
                throw new ArmFault(403, "AuthorizationFailed", unauthorized(action, path));
            }
            boolean usages = path.getLast().equals("usages");
            if (!usages && !isRegistered(cloud, namespace)) {
                throw new ArmFault(
                        409,
                        "MissingSubscriptionRegistration",
                        "The subscription is not registered to use namespace '" + namespace
                                + "'. See https://aka.ms/rps-not-found for how to register subscriptions.");
            }
        }
        if (method.equals("GET")) {
            return;
        }
        if (SUBSCRIPTION_DISABLED.is(cloud)) {
            throw new ArmFault(
                    409,
                    "ReadOnlyDisabledSubscription",
                    "The subscription '" + ArmFront.SUBSCRIPTION
                            + "' is disabled and therefore marked as read only. You"
                            + " cannot perform any write actions on this subscription until it is re-enabled.");
        }
        boolean grouped = path.size() > 3 && path.get(2).equalsIgnoreCase("resourceGroups");
        if (grouped && (LOCKED_READONLY.is(cloud) || (method.equals("DELETE") && LOCKED_DELETE.is(cloud)))) {
            String scope = "/subscriptions/" + path.get(1) + "/resourceGroups/" + path.get(3);
            throw new ArmFault(
                    409,
                    "ScopeLocked",
                    "The scope '/" + String.join("/", path) + "' cannot perform "
                            + (method.equals("DELETE") ? "delete" : "write")
                            + " operation because following scope(s) are locked: '" + scope
                            + "'. Please remove the lock and try again.");
        }
    }

    private static String unauthorized(String action, List<String> path) {
        return "The client '" + ArmLogin.CLIENT + "' with object id '" + ArmLogin.CLIENT
                + "' does not have authorization to perform action '" + action + "' over scope '/"
                + String.join("/", path)
                + "' or the scope is invalid. If access was recently granted, please refresh your credentials.";
    }

    /** As roles name it. @param words types and names in turn, and at the end of a POST what is to be done */
    private static String action(String method, String namespace, List<String> words) {
        List<String> parts = new ArrayList<>(List.of(namespace));
        for (int i = 0; i < words.size(); i += 2) {
            parts.add(words.get(i));
        }
        parts.add(
                switch (method) {
                    case "PUT", "PATCH" -> "write";
                    case "DELETE" -> "delete";
                    case "POST" -> "action";
                    default -> "read";
                });
        return String.join("/", parts);
    }

    /** Locks of a resource group. */
    static ObjectNode locks(CloudBehind cloud, String group) {
        ObjectNode all = JsonNodeFactory.instance.objectNode();
        all.putArray("value");
        String level = LOCKED_READONLY.is(cloud) ? "ReadOnly" : LOCKED_DELETE.is(cloud) ? "CanNotDelete" : "";
        if (!level.isEmpty()) {
            ObjectNode lock = all.withArray("/value")
                    .addObject()
                    .put("id", group + "/providers/Microsoft.Authorization/locks/keep")
                    .put("type", "Microsoft.Authorization/locks")
                    .put("name", "keep");
            lock.putObject("properties").put("level", level).put("notes", "Nobody deletes this.");
        }
        return all;
    }

    /** Faults that keep a machine from being made, told by its PUT and by the validation of a template. */
    static void checkMachine(CloudBehind cloud, String name, JsonNode body) throws ArmFault {
        JsonNode properties = body.path("properties");
        if (POLICY.is(cloud)) {
            String at = "/subscriptions/" + ArmFront.SUBSCRIPTION + "/providers/Microsoft.Authorization/";
            throw new ArmFault(
                    403,
                    "RequestDisallowedByPolicy",
                    "Resource '" + name
                            + "' was disallowed by policy. Policy identifiers: '[{\"policyAssignment\":{\"name\":"
                            + "\"Allowed virtual machine size SKUs\",\"id\":\"" + at
                            + "policyAssignments/sizes\"},\"policyDefinition\":{\"name\":\"Allowed virtual machine size SKUs\","
                            + "\"id\":\"" + at + "policyDefinitions/cccc23c7-8427-4f53-ad12-b6a63eb452b3\"}}]'.");
        }
        boolean open = properties
                .at("/networkProfile/networkInterfaceConfigurations")
                .toString()
                .contains("publicIPAddressConfiguration");
        if (open && denied(cloud).stream().anyMatch(ADDRESS::equalsIgnoreCase)) {
            throw new ArmFault(
                    403,
                    "LinkedAuthorizationFailed",
                    "The client has permission to perform action 'Microsoft.Compute/virtualMachines/write' on scope '"
                            + name
                            + "', however the current tenant is not authorized to perform action '" + ADDRESS
                            + "' on the linked scope(s).");
        }
        if (IMAGE_PLAN.is(cloud) && body.path("plan").isMissingNode()) {
            throw new ArmFault(
                    400,
                    "VMMarketplaceInvalidInput",
                    "Creating a virtual machine from Marketplace image or a custom image sourced from a Marketplace image"
                            + " requires Plan information in the request. VM: '" + name + "'.");
        }
        if (!IMAGE_PLAN.is(cloud) && !body.path("plan").isMissingNode()) {
            throw new ArmFault(
                    400,
                    "VMMarketplaceInvalidInput",
                    "The purchase plan information in the request is not needed: the image of VM '" + name
                            + "' has none.");
        }
        String identity = "Microsoft.ManagedIdentity/userAssignedIdentities/assign/action";
        if (NO_IDENTITY_ASSIGN.is(cloud) && !body.path("identity").isMissingNode()) {
            throw new ArmFault(
                    403,
                    "LinkedAuthorizationFailed",
                    "The client has permission to perform action 'Microsoft.Compute/virtualMachines/write' on scope '"
                            + name
                            + "', however it does not have permission to perform action '" + identity
                            + "' on the linked scope(s).");
        }
        if (IMAGE_GENERATION.is(cloud)) {
            throw new ArmFault(
                    400,
                    "BadRequest",
                    "The selected VM size '"
                            + properties.at("/hardwareProfile/vmSize").asText()
                            + "' cannot boot Hypervisor Generation '1'. If this was a Create operation please check that the"
                            + " Hypervisor Generation of the Image matches the Hypervisor Generation of the selected VM"
                            + " Size.");
        }
        if (IMAGE_ARCHITECTURE.is(cloud)) {
            throw new ArmFault(
                    400,
                    "BadRequest",
                    "Cannot create a VM of size '"
                            + properties.at("/hardwareProfile/vmSize").asText()
                            + "' because this VM size only supports a CPU Architecture of 'x64', but an image or disk with"
                            + " CPU Architecture 'Arm64' was given.");
        }
        new ArmUsages(cloud)
                .check(
                        properties.at("/hardwareProfile/vmSize").asText(),
                        properties.path("priority").asText().equals("Spot"));
    }
}
