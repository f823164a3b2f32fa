package org.spillway.cloud.openstack;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.openstack4j.core.transport.HttpMethod;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.policy.Market;

/** Doctor's look at what a site wants its servers to be made like ({@link ServerOptions}), and whether the cloud can. */
final class ServerDiagnostics {
    /** So long Ironic's cleaning may take at least. */
    private static final Duration CLEANED = Duration.ofMinutes(10);

    private final Account account;
    private final ServerOptions options;
    private final Leases leases;

    ServerDiagnostics(Account account) {
        this.account = account;
        this.options = account.settings().server();
        this.leases = new Leases(account);
    }

    /** Whether Nova is new enough for anything at all. Without, nothing else can be asked. */
    boolean version(List<Finding> findings) {
        Microversions.Range range;
        try {
            range = account.api().computeVersions();
        } catch (CloudException failed) {
            findings.add(broken("compute version", message(failed), "let this user read Nova's version document"));
            return false;
        }
        String objection = range.objection(ComputeFeature.BASE);
        if (!objection.isEmpty()) {
            findings.add(broken("compute version", objection, "use another cloud, or have its operator upgrade Nova"));
            return false;
        }
        findings.add(
                range.known()
                        ? new Finding(
                                "compute version",
                                Verdict.GOOD,
                                range + "; "
                                        + ServerBody.feature(account.settings()).header() + " is asked for",
                                "")
                        : warning(
                                "compute version",
                                "Nova's version document cannot be read",
                                "have the proxy before Nova let GET on the catalogue's address through"));
        return true;
    }

    void all(List<Finding> findings) {
        try {
            metal().ifPresent(findings::add);
        } catch (CloudException failed) {
            findings.add(broken("bare metal", message(failed), "let this user read flavors"));
        }
        if (!options.volumeType().isEmpty()) {
            add(findings, "volume type", "let this user read Cinder's volume types", this::volumeType);
        }
        if (!options.more().isEmpty()) {
            add(findings, "more networks", "correct moreNetworks (openstack network list)", this::networks);
        }
        if (options.hasPorts()) {
            add(findings, "vnic type", "let this user read Neutron's extensions", this::binding);
        }
        if (!options.gpus().isEmpty()) {
            add(findings, "flavorGpus", "correct flavorGpus", this::gpus);
        }
        if (!leases.named().isEmpty()) {
            add(
                    findings,
                    "reservations",
                    "let this user read Blazar's leases (openstack reservation lease list)",
                    this::reservations);
        }
        if (!options.configDrive().orElse(false)) {
            add(findings, "config drive", "let this user read subnets", this::drive);
        }
    }

    /** Ironic deploys and cleans a machine for many minutes, and has no volume to boot from unless it is set up for that. */
    private Optional<Finding> metal() throws CloudException {
        TreeSet<String> metal = new TreeSet<>();
        for (Flavors.Flavor each : account.flavors().values()) {
            boolean priced = account.site().price(each.name(), Market.ON_DEMAND).isPresent();
            if (priced && each.features().contains(Flavors.BARE_METAL)) {
                metal.add(each.name());
            }
        }
        boolean patient = options.removal().compareTo(CLEANED) >= 0;
        return metal.isEmpty() || (patient && account.settings().diskGiB() == 0)
                ? Optional.empty()
                : Optional.of(warning(
                        "bare metal",
                        String.join(", ", metal)
                                + " are Ironic's, which takes minutes to deploy and to clean a machine",
                        patient
                                ? "leave diskGiB out: such a machine boots from its own disk"
                                : "set removalSeconds to 600 or more, and the site's registration to what a deployment"
                                        + " takes, such as 45m"));
    }

    private interface Look {
        Finding now() throws CloudException;
    }

    private static void add(List<Finding> findings, String check, String repair, Look look) {
        try {
            findings.add(look.now());
        } catch (CloudException failed) {
            findings.add(broken(check, message(failed), repair));
        }
    }

    private Finding reservations() throws CloudException {
        if (!account.api().has(OpenStackService.RESERVATION)) {
            return broken("reservations", "the catalogue has no Blazar", "leave reservations out");
        }
        List<Leases.Reserved> known = leases.look();
        List<String> good = new ArrayList<>();
        List<String> bad = new ArrayList<>();
        for (String id : leases.named()) {
            Optional<Leases.Reserved> found =
                    known.stream().filter(each -> each.id().equals(id)).findFirst();
            if (found.isEmpty() || !found.get().isActive()) {
                bad.add(id
                        + (found.isEmpty()
                                ? " is none of this project's"
                                : " is " + found.get().status()));
            } else if (!found.get().hosts()
                    && Leases.price(account.site(), Leases.FLAVOR + id).isEmpty()) {
                bad.add(id + " has no price: give the site's prices one of " + Leases.FLAVOR + id
                        + "/reserved or reservation/reserved, 0 where it is paid anyway");
            } else {
                good.add(found.get().text());
            }
        }
        return bad.isEmpty()
                ? new Finding("reservations", Verdict.GOOD, String.join("; ", good), "")
                : warning(
                        "reservations",
                        String.join("; ", bad),
                        "nothing is offered of these; correct reservations (openstack reservation lease list)");
    }

    private Finding volumeType() throws CloudException {
        String wanted = options.volumeType();
        Microversions.Range range = account.api().computeVersions();
        if (!range.has(ComputeFeature.VOLUME_TYPE)) {
            return broken(
                    "volume type",
                    range.objection(ComputeFeature.VOLUME_TYPE),
                    "leave volumeType out, and have the operator make it the project's default: cinder"
                            + " default-type-set " + wanted + " PROJECT");
        }
        if (!account.api().has(OpenStackService.VOLUME)) {
            return broken("volume type", "the catalogue has no Cinder", "leave volumeType and diskGiB out");
        }
        List<String> names = new ArrayList<>();
        for (JsonNode each : account.api().all(OpenStackService.VOLUME, "/types", "volume_types", Map.of())) {
            names.add(each.path("name").asText());
            if (List.of(each.path("name").asText(), each.path("id").asText()).contains(wanted)) {
                return new Finding("volume type", Verdict.GOOD, wanted, "");
            }
        }
        return broken(
                "volume type",
                "there is no volume type '" + wanted + "' that this project sees, but "
                        + String.join(", ", new TreeSet<>(names)),
                "correct volumeType (openstack volume type list), or have the operator give it to the project: openstack"
                        + " volume type set --project PROJECT " + wanted);
    }

    private Finding networks() throws CloudException {
        TreeSet<String> ids = new TreeSet<>();
        List<ServerBody.Nic> nics = account.nics();
        for (ServerBody.Nic nic : nics) {
            ids.add(nic.networkId());
        }
        return ids.size() < nics.size()
                ? broken("more networks", "a network is named twice", "name each of moreNetworks once, and not network")
                : new Finding("more networks", Verdict.GOOD, nics.size() + " interfaces", "");
    }

    /** "Extensions" of the Networking API: {@code binding} gives ports their {@code binding:vnic_type}. */
    private Finding binding() throws CloudException {
        Api.Result result =
                account.api().call(OpenStackService.NETWORK, HttpMethod.GET, "/extensions/binding", Map.of(), null);
        if (result.isMissing()) {
            return broken(
                    "vnic type",
                    "Neutron has no extension binding, by which a port has a vnic type",
                    "leave vnicType out, or have the operator load it");
        }
        Api.done(result);
        return new Finding("vnic type", Verdict.GOOD, "Neutron's ports have one", "");
    }

    private Finding gpus() throws CloudException {
        TreeSet<String> unknown = new TreeSet<>(options.gpus().keySet());
        unknown.removeAll(account.flavors().keySet());
        return unknown.isEmpty()
                ? new Finding(
                        "flavorGpus",
                        Verdict.GOOD,
                        String.join(", ", new TreeSet<>(options.gpus().keySet())),
                        "")
                : broken(
                        "flavorGpus",
                        "there is no flavor " + String.join(", ", unknown)
                                + " that this project sees and flavors admits",
                        "correct flavorGpus (openstack flavor list)");
    }

    /** Without DHCP an image's cloud-init reaches the metadata service by no address. */
    private Finding drive() throws CloudException {
        List<JsonNode> subnets = account.api()
                .all(OpenStackService.NETWORK, "/subnets", "subnets", Map.of("network_id", account.networkId()));
        boolean silent = !subnets.isEmpty()
                && subnets.stream().noneMatch(each -> each.path("enable_dhcp").asBoolean(true));
        return silent
                ? warning(
                        "config drive",
                        "no subnet of the network has DHCP, and a server has no config drive by this site's word",
                        "set configDrive: true, so that a server learns its address and user data from it")
                : new Finding("config drive", Verdict.GOOD, "not needed: the network has DHCP", "");
    }

    private static String message(CloudException failed) {
        return String.valueOf(failed.getMessage());
    }

    private static Finding broken(String check, String detail, String repair) {
        return new Finding(check, Verdict.BROKEN, detail, repair);
    }

    private static Finding warning(String check, String detail, String repair) {
        return new Finding(check, Verdict.WARNING, detail, repair);
    }
}
