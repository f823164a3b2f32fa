package org.spillway.cloud.azure;

import com.azure.core.http.HttpMethod;
import com.azure.core.util.Context;
import com.azure.resourcemanager.network.fluent.models.SubnetInner;
import com.azure.resourcemanager.network.fluent.models.VirtualNetworkInner;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Diagnostics;
import org.spillway.policy.LaunchOutcome.Reason;

/** Looks only. Each check stands alone; after a failed login there is nothing more to ask. */
final class AzureDiagnostics implements Diagnostics {
    private static final Duration MAX_SKEW = Duration.ofSeconds(30);
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
        AzureAccountChecks account = new AzureAccountChecks(parts);
        account.state(findings);
        findings.add(location());
        boolean compute = account.isRegistered("Microsoft.Compute", "machines", findings);
        boolean network = account.isRegistered("Microsoft.Network", "networks and their interfaces", findings);
        boolean there = group(findings);
        if (there) {
            account.locks(findings);
            findings.add(account.permissions());
        }
        String image = needs.image().isEmpty() ? settings.image() : needs.image();
        List<Size> sizes = compute ? types(needs, findings) : List.of();
        if (compute) {
            findings.add(new AzureImageChecks(settings, arm).say(image, bootable(sizes, needs)));
            findings.add(prices());
            new AzureReservations(settings, arm).say(findings);
        }
        if (there && network) {
            subnet(findings);
        }
        // A dry run would say nothing but what is broken already.
        if (findings.stream().noneMatch(each -> each.verdict() == Verdict.BROKEN)) {
            smallest(sizes, needs).ifPresent(size -> findings.add(new AzureDryRun(parts).of(size, subnetId(), image)));
        }
        return findings;
    }

    /** The sizes that an image has to fit: those that are needed, else all that are offered. */
    private static List<Size> bootable(List<Size> sizes, Needs needs) {
        List<Size> needed = sizes.stream()
                .filter(size -> needs.instanceTypes().contains(size.name()))
                .toList();
        return needed.isEmpty() ? sizes : needed;
    }

    private static Optional<Size> smallest(List<Size> sizes, Needs needs) {
        return bootable(sizes, needs).stream()
                .min(Comparator.comparing((Size size) -> size.resources().cpus())
                        .thenComparing(Size::name));
    }

    private String subnetId() {
        return settings.subnet().isEmpty() ? AzureNetwork.subnetId(settings, parts.names()) : settings.subnet();
    }

    static Finding good(String check, String detail) {
        return new Finding(check, Verdict.GOOD, detail, "");
    }

    static Finding broken(String check, String detail, String repair) {
        return new Finding(check, Verdict.BROKEN, detail, repair);
    }

    static Finding warning(String check, String detail, String repair) {
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
                                ? login(unsent.message())
                                : "correct endpoint, authority or caFile, or let this machine out to them"));
            }
            case Answer.Refused<Instant> no ->
                findings.add(broken("endpoint", no.message(), "correct endpoint: is it a resource manager?"));
            case Answer.Unclear<Instant> unclear ->
                findings.add(broken("endpoint", unclear.message(), "correct endpoint: is it a resource manager?"));
        }
        return false;
    }

    /** "Microsoft Entra authentication and authorization error codes". */
    private static String login(String said) {
        return said.contains("AADSTS7000222")
                ? "make a new secret (az ad app credential reset --id CLIENT_ID) and write it into clientSecretFile"
                : "correct tenant, clientId and the secret's file";
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

    /** @return the sizes that the site offers, and those that are needed; none when they are not known */
    private List<Size> types(Needs needs, List<Finding> findings) {
        Map<String, Size> sizes;
        try {
            sizes = parts.catalogue().sizes();
        } catch (CloudException failed) {
            findings.add(broken(
                    "sizes",
                    String.valueOf(failed.getMessage()),
                    "allow Microsoft.Compute/skus/read in the subscription"));
            return List.of();
        }
        findings.add(
                sizes.isEmpty()
                        ? broken("sizes", "none for sale in " + settings.location(), "correct location")
                        : good("sizes", sizes.size() + " for sale in " + settings.location()));
        for (String type : new TreeSet<>(needs.instanceTypes())) {
            if (!sizes.containsKey(type)) {
                findings.add(broken(
                        "type " + type,
                        "not for sale to this subscription in " + settings.location(),
                        "correct the type, or ask for access to it"));
            }
        }
        List<Size> offered = sizes.values().stream()
                .filter(size ->
                        settings.offers(size.name()) || needs.instanceTypes().contains(size.name()))
                .toList();
        try {
            new AzureQuotas(settings, arm).say(offered, needs, findings);
        } catch (CloudException failed) {
            findings.add(warning(
                    "quotas",
                    String.valueOf(failed.getMessage()),
                    "allow Microsoft.Compute/locations/usages/read in the subscription"));
        }
        return offered;
    }

    private void subnet(List<Finding> findings) {
        boolean given = !settings.subnet().isEmpty();
        String id = subnetId();
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

    static String told(Answer<?> answer) {
        return switch (answer) {
            case Answer.Done<?> done -> "answer " + done.status();
            case Answer.Refused<?> no -> no.message();
            case Answer.Unsent<?> unsent -> unsent.message();
            case Answer.Unclear<?> unclear -> unclear.message();
        };
    }
}
