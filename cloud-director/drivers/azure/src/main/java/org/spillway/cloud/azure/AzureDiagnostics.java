package org.spillway.cloud.azure;

import com.azure.core.http.HttpMethod;
import com.azure.core.util.Context;
import com.azure.resourcemanager.compute.fluent.models.UsageInner;
import com.azure.resourcemanager.compute.models.ImageReference;
import com.azure.resourcemanager.network.fluent.models.SubnetInner;
import com.azure.resourcemanager.network.fluent.models.VirtualNetworkInner;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Diagnostics;
import org.spillway.policy.LaunchOutcome.Reason;

/** Looks only. Each check stands alone; after a failed login there is nothing more to ask. */
final class AzureDiagnostics implements Diagnostics {
    private static final Duration MAX_SKEW = Duration.ofSeconds(30);
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

    private final AzureParts parts;
    private final AzureSettings settings;
    private final Arm arm;

    AzureDiagnostics(AzureParts parts) {
        this.parts = parts;
        this.settings = parts.settings();
        this.arm = parts.arm();
    }

    @Override
    public List<Finding> check(Needs needs) {
        List<Finding> findings = new ArrayList<>();
        Answer<Instant> time = arm.time();
        if (!reach(time, findings)) {
            return findings;
        }
        findings.add(clock(time));
        findings.add(location());
        boolean there = group(findings);
        if (there) {
            findings.add(permissions());
        }
        types(needs, findings);
        findings.add(image(needs.image().isEmpty() ? settings.image() : needs.image()));
        if (there) {
            subnet(findings);
        }
        findings.add(prices());
        return findings;
    }

    private static Finding good(String check, String detail) {
        return new Finding(check, Verdict.GOOD, detail, "");
    }

    private static Finding broken(String check, String detail, String repair) {
        return new Finding(check, Verdict.BROKEN, detail, repair);
    }

    private static Finding warning(String check, String detail, String repair) {
        return new Finding(check, Verdict.WARNING, detail, repair);
    }

    /** @return whether it makes sense to ask more */
    private boolean reach(Answer<Instant> time, List<Finding> findings) {
        switch (time) {
            case Answer.Done<Instant> done -> {
                findings.add(good("endpoint", settings.endpoint() + " answers"));
                switch (done.status()) {
                    case 200 -> findings.add(good("credentials", "the token is accepted"));
                    case 401, 403 ->
                        findings.add(broken(
                                "credentials",
                                "the subscription does not admit "
                                        + settings.login().getClass().getSimpleName(),
                                "assign the role of docs/drivers/azure.md to it"));
                    default ->
                        findings.add(broken(
                                "subscription",
                                "answer " + done.status() + " for " + settings.subscription(),
                                "correct subscription"));
                }
                return done.status() == 200;
            }
            case Answer.Unsent<Instant> unsent -> {
                boolean login = unsent.reason() == Reason.CREDENTIALS;
                findings.add(broken(
                        login ? "credentials" : "endpoint",
                        unsent.message(),
                        login
                                ? "correct tenant, clientId and the secret's file; a secret may have expired"
                                : "correct endpoint, authority or caFile, or let this machine out to them"));
            }
            case Answer.Refused<Instant> no ->
                findings.add(broken("endpoint", no.message(), "correct endpoint: is it a resource manager?"));
            case Answer.Unclear<Instant> unclear ->
                findings.add(broken("endpoint", unclear.message(), "correct endpoint: is it a resource manager?"));
        }
        return false;
    }

    private Finding clock(Answer<Instant> time) {
        if (!(time instanceof Answer.Done<Instant> done)) {
            return warning("clock", "the provider does not tell its time", "correct endpoint");
        }
        Duration skew = Duration.between(parts.clock().instant(), done.body()).abs();
        return skew.compareTo(MAX_SKEW) <= 0
                ? good("clock", "within " + MAX_SKEW.toSeconds() + " s")
                : warning(
                        "clock",
                        "the provider's clock is " + skew.toSeconds() + " s away from this machine's",
                        "set this machine's clock, by NTP for example");
    }

    private Finding location() {
        Answer<JsonNode> answer = arm.raw(
                HttpMethod.GET, "/subscriptions/" + settings.subscription() + "/locations?api-version=2022-12-01");
        if (!(answer instanceof Answer.Done<JsonNode> done)) {
            return warning("location", "locations cannot be listed: " + told(answer), "nothing, if machines start");
        }
        TreeSet<String> names = new TreeSet<>();
        done.body().path("value").forEach(each -> names.add(each.path("name").asText()));
        return names.contains(settings.location())
                ? good("location", settings.location() + " is one of " + names.size())
                : broken(
                        "location",
                        "this subscription has no location " + settings.location(),
                        "correct location; there are " + Arm.line(String.join(", ", names)));
    }

    private boolean group(List<Finding> findings) {
        Answer<JsonNode> answer = arm.raw(HttpMethod.GET, settings.groupId() + "?api-version=2022-09-01");
        if (answer instanceof Answer.Done<JsonNode>) {
            findings.add(good("resource group", settings.resourceGroup() + " is there"));
            return true;
        }
        boolean missing = answer instanceof Answer.Refused<JsonNode> no && no.isGone();
        findings.add(broken(
                "resource group",
                missing ? "there is no resource group " + settings.resourceGroup() : told(answer),
                missing ? "run `spillway site create`, or make it" : "give the principal the right to read it"));
        return false;
    }

    private Finding permissions() {
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
                        "assign the role of docs/drivers/azure.md in the resource group");
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

    private void types(Needs needs, List<Finding> findings) {
        Map<String, Size> sizes;
        Map<String, UsageInner> usages = new TreeMap<>();
        try {
            sizes = parts.catalogue().sizes();
            for (UsageInner usage : arm.pages(() -> arm.compute().getUsages().list(settings.location()))) {
                usages.put(Machines.key(usage.name().value()), usage);
            }
        } catch (CloudException failed) {
            findings.add(broken(
                    "sizes",
                    String.valueOf(failed.getMessage()),
                    "allow Microsoft.Compute/skus/read and locations/usages/read in the subscription"));
            return;
        }
        findings.add(
                sizes.isEmpty()
                        ? broken("sizes", "none for sale in " + settings.location(), "correct location")
                        : good("sizes", sizes.size() + " for sale in " + settings.location()));
        for (String type : new TreeSet<>(needs.instanceTypes())) {
            Size size = sizes.get(type);
            if (size == null) {
                findings.add(broken(
                        "type " + type,
                        "not for sale to this subscription in " + settings.location(),
                        "correct the type, or ask for access to it"));
            } else {
                findings.add(quota(size, usages));
            }
        }
    }

    private static Finding quota(Size size, Map<String, UsageInner> usages) {
        String check = "quota " + size.name();
        long left = Long.MAX_VALUE;
        for (String name : List.of("cores", size.family())) {
            UsageInner usage = usages.get(Machines.key(name));
            if (usage != null) {
                left = Math.min(left, usage.limit() - usage.currentValue());
            }
        }
        if (left == Long.MAX_VALUE) {
            return warning(check, "family " + size.family() + " is not among the usages", "look at it in the portal");
        }
        String detail = left + " of its vCPUs are left in " + size.family() + ", one machine has "
                + size.resources().cpus();
        return left >= size.resources().cpus()
                ? good(check, detail)
                : broken(check, detail, "ask for more quota of family " + size.family());
    }

    private Finding image(String image) {
        ImageReference reference = MachineBody.image(image);
        String repair = "correct image: publisher:offer:sku:version, or a resource id";
        if (reference.publisher() != null) {
            Answer<?> answer = arm.call(() -> arm.compute()
                    .getVirtualMachineImages()
                    .listWithResponse(
                            settings.location(),
                            reference.publisher(),
                            reference.offer(),
                            reference.sku(),
                            null,
                            1,
                            null,
                            Context.NONE));
            return answer instanceof Answer.Done<?> ? good("image", image) : broken("image", told(answer), repair);
        }
        if (reference.id() == null) {
            return warning(
                    "image", image + " is in a shared gallery and is not looked at", "nothing, if machines start");
        }
        String version = image.contains("/galleries/") ? "2024-03-03" : "2025-04-01";
        Answer<JsonNode> answer = arm.raw(HttpMethod.GET, image + "?api-version=" + version);
        return answer instanceof Answer.Done<JsonNode> ? good("image", image) : broken("image", told(answer), repair);
    }

    private void subnet(List<Finding> findings) {
        boolean given = !settings.subnet().isEmpty();
        String id = given ? settings.subnet() : AzureNetwork.subnetId(settings, parts.names());
        String[] words = id.split("/", -1);
        if (words.length != 11) {
            findings.add(broken("subnet", id + " is no subnet's id", "correct subnet"));
            return;
        }
        Answer<VirtualNetworkInner> answer = arm.call(() -> arm.network()
                .getVirtualNetworks()
                .getByResourceGroupWithResponse(words[4], words[8], null, Context.NONE));
        Optional<SubnetInner> found = answer instanceof Answer.Done<VirtualNetworkInner> done
                ? Size.orEmpty(done.body().subnets()).stream()
                        .filter(each -> words[10].equalsIgnoreCase(each.name()))
                        .findFirst()
                : Optional.empty();
        if (found.isEmpty()) {
            String detail =
                    answer instanceof Answer.Done<VirtualNetworkInner> ? "there is no subnet " + id : told(answer);
            findings.add(
                    given
                            ? broken("subnet", detail, "correct subnet")
                            : broken("subnet", detail, "run `spillway site create`, or name one in option subnet"));
            return;
        }
        findings.add(good("subnet", id));
        boolean out = found.get().natGateway() != null
                || found.get().routeTable() != null
                || !Boolean.FALSE.equals(found.get().defaultOutboundAccess());
        findings.add(
                out
                        ? good("egress", "by " + (found.get().natGateway() != null ? "a NAT gateway" : "its routes"))
                        : warning(
                                "egress",
                                "the subnet has no NAT gateway and no routes of its own",
                                "give it a NAT gateway, if nodes have to reach the internet"));
    }

    private Finding prices() {
        try {
            int count = parts.catalogue().offerings(parts.clock().instant()).size();
            return count > 0
                    ? good("prices", count + " offerings have one")
                    : broken(
                            "prices",
                            "nothing that is for sale has a price",
                            "correct types and zones, or give prices");
        } catch (CloudException failed) {
            return broken(
                    "prices",
                    String.valueOf(failed.getMessage()),
                    "let this machine out to pricesEndpoint, or give prices and set it to none");
        }
    }

    private static String told(Answer<?> answer) {
        return switch (answer) {
            case Answer.Done<?> done -> "answer " + done.status();
            case Answer.Refused<?> no -> no.message();
            case Answer.Unsent<?> unsent -> unsent.message();
            case Answer.Unclear<?> unclear -> unclear.message();
        };
    }
}
