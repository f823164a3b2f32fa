package org.spillway.cloud.openstack;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import org.openstack4j.model.compute.AbsoluteLimit;
import org.openstack4j.model.image.v2.Image;
import org.openstack4j.model.image.v2.Image.ImageStatus;
import org.openstack4j.model.network.Network;
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
                        account.settings().login() instanceof OpenStackSettings.Login.ApplicationCredential
                                ? "make a new application credential, and write its id and secret down: this one may be over"
                                        + " (openstack application credential list, expires_at) or deleted"
                                : "correct user, userDomain, project, projectDomain and the secret in its file of mode 600";
                });
    }

    static Finding good(String check, String detail) {
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
            findings.add(broken(
                    "region",
                    "no endpoint for " + String.join(", ", missing),
                    "correct region or interface: openstack catalog list shows what there is"));
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
        ServerDiagnostics server = new ServerDiagnostics(account);
        if (!server.version(findings)) {
            return;
        }
        findings.add(look("zones", "correct zones", this::zones));
        flavors(needs, findings);
        findings.add(look("image", "set image to the id of a Linux image that this project sees", () -> image(needs)));
        findings.add(look("network", "set network, or run `spillway site create`", this::network));
        findings.add(look("external network", "let this user see networks", this::outside));
        key(findings);
        findings.add(look("security group", "correct securityGroup", this::securityGroup));
        server.all(findings);
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
            if (!flavors.containsKey(type)) {
                // No quota: a head goes on when one is full.
                findings.add(broken(
                        "type " + type,
                        "there is no such flavor that this project sees",
                        "correct the type, or flavors; a private flavor is given to a project by the operator: openstack"
                                + " flavor set --project PROJECT " + type));
            }
        }
        OpenStackQuotas.say(OpenStackQuotas.of(limits, projectId()), flavors.values(), account, needs, findings);
    }

    private String projectId() {
        try {
            return account.api().projectId();
        } catch (CloudException unsaid) {
            return "PROJECT";
        }
    }

    private static String some(List<String> names) {
        List<String> few = names.subList(0, Math.min(10, names.size()));
        return String.join(", ", few) + (names.size() > few.size() ? ", and " + (names.size() - few.size()) : "");
    }

    private Finding image(Needs needs) throws CloudException {
        String id = account.imageId(needs.image());
        Image image = account.api().get(cloud -> cloud.imagesV2().get(id));
        if (image.getStatus() != ImageStatus.ACTIVE) {
            return broken(
                    "image",
                    id + " is " + String.valueOf(image.getStatus()).toLowerCase(Locale.ROOT),
                    "set image to one that is active, or have it activated: openstack image set --activate " + id);
        }
        long minMib = image.getMinRam() == null ? 0 : image.getMinRam();
        TreeSet<String> small = new TreeSet<>();
        for (Flavors.Flavor flavor : account.flavors().values()) {
            boolean used = needs.instanceTypes().contains(flavor.name())
                    || account.site().price(flavor.name(), Market.ON_DEMAND).isPresent();
            if (used && flavor.resources().memoryBytes() >> 20 < minMib) {
                small.add(flavor.name());
            }
        }
        return small.isEmpty()
                ? good("image", id)
                : broken(
                        "image",
                        id + " wants " + minMib + " MiB of memory, and these have less: " + some(List.copyOf(small)),
                        "leave them out by flavors, or choose a smaller image");
    }

    /** Floating addresses come from one; without any nothing inside is reached from outside, or reaches it. */
    private Finding outside() throws CloudException {
        List<Network> outer = account.api()
                .all(
                        "networks",
                        Map.of("router:external", "true"),
                        (cloud, query) -> cloud.networking().network().list(query));
        String wanted = account.settings().floatingNetwork();
        if (!wanted.isEmpty() && Account.only(outer, wanted).isEmpty()) {
            return broken(
                    "external network",
                    "there is no one external network '" + wanted + "' that this project sees",
                    "correct floatingNetwork (openstack network list --external), or have the operator share it");
        }
        return outer.isEmpty()
                ? warning(
                        "external network",
                        "this project sees none",
                        "fine where the head reaches the nodes' network and nothing is fetched from outside; else have the"
                                + " operator share one (openstack network rbac create)")
                : good("external network", outer.size() + " seen");
    }

    private void key(List<Finding> findings) {
        String name = account.settings().keyName();
        if (!name.isEmpty()) {
            String repair = "key pairs are of users and not of projects: as the user of this login, openstack keypair"
                    + " create --public-key FILE " + name;
            findings.add(look(
                    "key",
                    repair,
                    () -> account.api()
                                    .find(cloud -> cloud.compute().keypairs().get(name))
                                    .isPresent()
                            ? good("key", name)
                            : broken("key", "this user has no key pair " + name, repair)));
        }
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
