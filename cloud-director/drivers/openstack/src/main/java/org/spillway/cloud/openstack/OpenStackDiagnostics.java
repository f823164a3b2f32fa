package org.spillway.cloud.openstack;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.openstack4j.model.compute.AbsoluteLimit;
import org.openstack4j.model.image.v2.Image.ImageStatus;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Diagnostics;
import org.spillway.policy.Market;

/** Logs in anew and looks; makes nothing. Nova has no dry run, so permissions show themselves by what can be read. */
final class OpenStackDiagnostics implements Diagnostics {
    private static final Duration MAX_SKEW = Duration.ofSeconds(30);
    private final Account account;
    private final Keystone keystone;

    OpenStackDiagnostics(Account account, Keystone keystone) {
        this.account = account;
        this.keystone = keystone;
    }

    @Override
    public List<Finding> check(Needs needs) {
        List<Finding> findings = new ArrayList<>();
        switch (keystone.loginAnew()) {
            case Keystone.Login.Out out -> findings.add(out(out));
            case Keystone.Login.In in -> {
                findings.add(good("endpoint", "Keystone answers"));
                findings.add(good("credentials", "in project " + in.session().projectId()));
                findings.add(clock(in.session().aheadOfUs()));
                if (catalogue(in.session().catalogue(), findings)) {
                    services(needs, findings);
                }
            }
        }
        return findings;
    }

    private Finding out(Keystone.Login.Out out) {
        if (out.reason() == null) {
            return broken("endpoint", out.message(), "correct endpoint, or caFile if the certificate is not trusted");
        }
        return broken(
                "credentials",
                out.message(),
                switch (out.reason()) {
                    case THROTTLED -> "wait: Keystone takes no more logins for now";
                    default ->
                        "correct user, userDomain, project, projectDomain and the secret in its file of mode 600";
                });
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

    private static Finding clock(Duration skew) {
        return skew.abs().compareTo(MAX_SKEW) <= 0
                ? good("clock", "within " + MAX_SKEW.toSeconds() + " s")
                : warning(
                        "clock",
                        "Keystone's clock is " + skew.abs().toSeconds() + " s away from this machine's",
                        "set this machine's clock, by NTP for example");
    }

    private boolean catalogue(Catalogue catalogue, List<Finding> findings) {
        if (!catalogue.problem().isEmpty()) {
            findings.add(broken("region", catalogue.problem(), "correct region"));
            return false;
        }
        List<String> missing = new ArrayList<>();
        for (OpenStackService each :
                List.of(OpenStackService.COMPUTE, OpenStackService.NETWORK, OpenStackService.IMAGE)) {
            if (!catalogue.endpoints().containsKey(each)) {
                missing.add(each.name().toLowerCase(Locale.ROOT));
            }
        }
        if (!missing.isEmpty()) {
            findings.add(
                    broken("region", "no endpoint for " + String.join(", ", missing), "correct region or interface"));
            return false;
        }
        findings.add(good("region", "compute, network and image are in the catalogue"));
        return true;
    }

    /** A check that may find that it cannot look. */
    private interface Look {
        Finding now() throws CloudException;
    }

    private static Finding look(String check, String repair, Look look) {
        try {
            return look.now();
        } catch (CloudException failed) {
            return broken(check, String.valueOf(failed.getMessage()), repair);
        }
    }

    private void services(Needs needs, List<Finding> findings) {
        findings.add(look("zones", "correct zones", this::zones));
        flavors(needs, findings);
        String image = needs.image();
        findings.add(look("image", "set image to the id of a Linux image that this project sees", () -> image(image)));
        findings.add(look("network", "set network, or run `spillway site create`", this::network));
        findings.add(look("security group", "correct securityGroup", this::securityGroup));
    }

    private Finding zones() throws CloudException {
        TreeSet<String> zones = account.zones();
        return zones.isEmpty()
                ? broken("zones", "none of the wanted zones is available", "correct zones")
                : good("zones", String.join(", ", zones));
    }

    private void flavors(Needs needs, List<Finding> findings) {
        Map<String, Flavors.Flavor> flavors;
        AbsoluteLimit limits;
        try {
            flavors = account.freshFlavors();
            limits = account.api()
                    .get(cloud -> cloud.compute().quotaSets().limits().getAbsolute());
        } catch (CloudException failed) {
            String detail = String.valueOf(failed.getMessage());
            findings.add(broken("flavors", detail, "give this user the role member of the project"));
            return;
        }
        List<String> priced = new ArrayList<>();
        List<String> unpriced = new ArrayList<>();
        TreeSet<String> guessed = new TreeSet<>();
        for (Flavors.Flavor flavor : flavors.values()) {
            boolean has = account.site().price(flavor.name(), Market.ON_DEMAND).isPresent();
            (has ? priced : unpriced).add(flavor.name());
            guessed.addAll(has ? flavor.guessed() : List.of());
        }
        if (priced.isEmpty()) {
            findings.add(broken(
                    "flavors", "none of " + flavors.size() + " has a price", "set prices of the flavors to use"));
        } else {
            findings.add(good("flavors", priced.size() + " with a price"));
        }
        if (!unpriced.isEmpty()) {
            findings.add(warning(
                    "prices",
                    "not offered, as they have no price: " + some(unpriced),
                    "set their prices, or leave them out by flavors"));
        }
        if (!guessed.isEmpty()) {
            findings.add(warning(
                    "gpuAliases",
                    "taken for GPUs of that name: " + String.join(", ", guessed),
                    "say what they are in gpuAliases, such as " + guessed.first() + "=MODEL:GIB or =-"));
        }
        for (String type : new TreeSet<>(needs.instanceTypes())) {
            findings.add(quota(type, flavors.get(type), limits));
        }
    }

    private static String some(List<String> names) {
        List<String> few = names.subList(0, Math.min(10, names.size()));
        return String.join(", ", few) + (names.size() > few.size() ? ", and " + (names.size() - few.size()) : "");
    }

    /** Whether one more of that type fits into the project's quota. */
    private static Finding quota(String type, Flavors.@Nullable Flavor flavor, AbsoluteLimit limits) {
        String check = "quota " + type;
        if (flavor == null) {
            // No quota: a head goes on when one is full.
            return broken("type " + type, "there is no such flavor", "correct the type, or flavors");
        }
        List<String> full = new ArrayList<>();
        long memoryMiB = flavor.resources().memoryBytes() >> 20;
        int cpus = flavor.resources().cpus();
        over(full, "instances", limits.getMaxTotalInstances(), limits.getTotalInstancesUsed(), 1);
        over(full, "cores", limits.getMaxTotalCores(), limits.getTotalCoresUsed(), cpus);
        over(full, "MiB of memory", limits.getMaxTotalRAMSize(), limits.getTotalRAMUsed(), memoryMiB);
        return full.isEmpty()
                ? good(check, "one more fits")
                : broken(check, "no room for one more: " + String.join(", ", full), "have the project's quota raised");
    }

    private static void over(List<String> full, String what, long limit, long used, long more) {
        // Below 0 there is no limit; OpenStack4j says -1 for what is not told, too.
        if (limit >= 0 && Math.max(0, used) + more > limit) {
            full.add(used + " of " + limit + " " + what + " are used");
        }
    }

    private Finding image(String wanted) throws CloudException {
        String id = account.imageId(wanted);
        ImageStatus status =
                account.api().get(cloud -> cloud.imagesV2().get(id)).getStatus();
        return status == ImageStatus.ACTIVE
                ? good("image", id)
                : broken("image", id + " is " + status, "set image to one that is active");
    }

    private Finding network() throws CloudException {
        String id = account.networkId();
        List<String> subnets =
                account.api().get(cloud -> cloud.networking().network().get(id)).getSubnets();
        return subnets == null || subnets.isEmpty()
                ? broken("network", id + " has no subnet", "give it a subnet, or set another network")
                : good("network", id);
    }

    private Finding securityGroup() throws CloudException {
        String group = account.securityGroup();
        return group.isEmpty()
                ? warning(
                        "security group",
                        "the project's default, which may not admit the head",
                        "set securityGroup, or run `spillway site create`")
                : good("security group", group);
    }
}
