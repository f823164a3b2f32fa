package org.spillway.cloud.aws;

import static org.spillway.cloud.aws.AwsDiagnostics.broken;
import static org.spillway.cloud.aws.AwsDiagnostics.good;
import static org.spillway.cloud.aws.AwsDiagnostics.warning;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Needs;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.SiteSettings;
import org.spillway.policy.Market;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.ec2.model.DescribeRouteTablesRequest;
import software.amazon.awssdk.services.ec2.model.DescribeSecurityGroupsRequest;
import software.amazon.awssdk.services.ec2.model.DescribeSubnetsRequest;
import software.amazon.awssdk.services.ec2.model.Image;
import software.amazon.awssdk.services.ec2.model.RouteTable;
import software.amazon.awssdk.services.ec2.model.Subnet;

/** The checks of an account that lets us in. */
final class AwsChecks {
    private static final String EVERYWHERE = "0.0.0.0/0";
    private final SiteSettings site;
    private final AwsSettings settings;
    private final AwsClients clients;
    private final InstantSource clock;
    private final AwsCatalogue catalogue;
    private final AwsPlaces places;
    private final AwsPrices prices;
    private final AwsOfferings offerings;
    private final AwsQuotas quotas;

    AwsChecks(SiteSettings site, AwsSettings settings, AwsClients clients, InstantSource clock) {
        this.site = site;
        this.settings = settings;
        this.clients = clients;
        this.clock = clock;
        this.catalogue = new AwsCatalogue(clients, settings, clock);
        this.places = new AwsPlaces(settings, clients, new AwsTags(site), clock);
        this.prices = new AwsPrices(clients, settings, site);
        this.offerings = new AwsOfferings(site, settings, clients, catalogue, prices, places);
        this.quotas = new AwsQuotas(settings, new AwsSigned(settings, clients), clock);
    }

    /** A check that may fail in itself. */
    private interface Check {
        void run(List<Finding> findings);
    }

    List<Finding> run(Needs needs) {
        List<Finding> findings = new ArrayList<>();
        guarded("image", findings, found -> image(needs, found));
        guarded("launch template", findings, this::template);
        guarded("network", findings, this::network);
        guarded("egress", findings, this::egress);
        List<Offering> offered = new ArrayList<>();
        guarded("types", findings, found -> types(needs, found, offered));
        guarded("quotas", findings, found -> AwsQuotaChecks.say(quotas, offered, needs, found));
        guarded("permissions", findings, found -> permissions(needs, found));
        reservations(findings);
        return findings;
    }

    private void reservations(List<Finding> findings) {
        try {
            AwsReservationChecks.say(new AwsReservations(site, clients), findings);
        } catch (SdkException failed) {
            findings.add(warning(
                    "reservations",
                    AwsErrors.describe(failed),
                    "nothing reserved is offered; where there is something, allow ec2:DescribeCapacityReservations"));
        }
    }

    private static void guarded(String name, List<Finding> findings, Check check) {
        try {
            check.run(findings);
        } catch (SdkException failed) {
            findings.add(broken(
                    name,
                    AwsErrors.describe(failed),
                    switch (AwsErrors.reason(failed)) {
                        case CREDENTIALS -> AwsPermissions.repair(AwsErrors.deniedAction(failed), failed);
                        case THROTTLED -> "try again later";
                        case CAPACITY, QUOTA, OCCUPIED, INVALID -> "correct the site's options";
                    }));
        } catch (IllegalArgumentException unreadable) {
            findings.add(broken(name, String.valueOf(unreadable.getMessage()), "is the endpoint EC2's?"));
        }
    }

    private String wantedImage(Needs needs) {
        return needs.image().isEmpty() ? settings.image() : needs.image();
    }

    private void image(Needs needs, List<Finding> findings) {
        String image = wantedImage(needs);
        if (image.isEmpty()) {
            findings.add(warning("image", "none is configured", "give image: each launch would have to name its own"));
        } else if (image.startsWith("resolve:")) {
            findings.add(good("image", image + " is resolved by EC2 at each launch"));
        } else {
            String type = needs.instanceTypes().stream().sorted().findFirst().orElse("");
            String id = AwsNewest.is(image) ? catalogue.image(image, type) : image;
            findings.add(
                    id.isEmpty()
                            ? AwsImageChecks.noneIs(image)
                            : describe(id)
                                    .map(found -> AwsImageChecks.say(found, settings.diskGib()))
                                    .orElseGet(() -> AwsImageChecks.missing(id, settings.region())));
        }
    }

    private Optional<Image> describe(String image) {
        try {
            return catalogue.describe(image);
        } catch (SdkException failed) {
            if (AwsErrors.isGone(failed)) {
                return Optional.empty();
            }
            throw failed;
        }
    }

    private void template(List<Finding> findings) {
        String option = settings.machine().template();
        if (option.isEmpty()) {
            return;
        }
        List<String> objections = catalogue.ownTemplate().objections();
        findings.add(
                objections.isEmpty()
                        ? good("launch template", option + " has nothing that the head would not know of")
                        : broken(
                                "launch template",
                                option + ": " + String.join("; ", objections),
                                "make a version without that, and name its number in launchTemplate"));
    }

    private void network(List<Finding> findings) {
        Optional<Set<String>> zones = places.zones();
        if (zones.isEmpty()) {
            findings.add(broken(
                    "network",
                    "site " + site.site() + " has none",
                    "run `spillway site create " + site.site() + "`, or give subnets and securityGroup"));
            return;
        }
        if (!settings.subnets().isEmpty()) {
            given(findings);
            return;
        }
        findings.add(good("network", "subnets in " + new TreeSet<>(zones.get())));
    }

    /** Things that the options name must be there, and where they say. */
    private void given(List<Finding> findings) {
        Set<String> ids = new HashSet<>(settings.subnets().values());
        ids.addAll(settings.directorSubnets().values());
        for (Subnet subnet : clients.ec2()
                .describeSubnets(DescribeSubnetsRequest.builder().subnetIds(ids).build())
                .subnets()) {
            settings.subnets().forEach((zone, id) -> {
                if (id.equals(subnet.subnetId()) && !zone.equals(subnet.availabilityZone())) {
                    findings.add(broken(
                            "network",
                            id + " is in zone " + subnet.availabilityZone() + ", not in " + zone,
                            "correct subnets"));
                }
            });
        }
        clients.ec2()
                .describeSecurityGroups(DescribeSecurityGroupsRequest.builder()
                        .groupIds(settings.securityGroup())
                        .build());
        if (findings.stream().noneMatch(each -> each.check().equals("network"))) {
            findings.add(good("network", "subnets and security group exist"));
        }
    }

    /** By the subnet that a node would stand in. */
    private void egress(List<Finding> findings) {
        Optional<AwsPlaces.Place> place = somewhere();
        if (place.isEmpty()) {
            return;
        }
        String subnet = place.get().subnet();
        Subnet known = clients.ec2()
                .describeSubnets(
                        DescribeSubnetsRequest.builder().subnetIds(subnet).build())
                .subnets()
                .getFirst();
        if (known.availableIpAddressCount() != null && known.availableIpAddressCount() < 1) {
            findings.add(broken(
                    "addresses",
                    subnet + " has no free address left",
                    "end what has its addresses, or add a larger subnet to the option subnets"));
        }
        List<RouteTable> tables = clients.ec2()
                .describeRouteTables(DescribeRouteTablesRequest.builder()
                        .filters(AwsTags.filter("vpc-id", known.vpcId()))
                        .build())
                .routeTables();
        List<RouteTable> own = tables.stream()
                .filter(table -> table.associations().stream().anyMatch(each -> subnet.equals(each.subnetId())))
                .toList();
        List<RouteTable> main = tables.stream()
                .filter(table -> table.associations().stream().anyMatch(each -> Boolean.TRUE.equals(each.main())))
                .toList();
        boolean out = (own.isEmpty() ? main : own)
                .stream()
                        .flatMap(table -> table.routes().stream())
                        .anyMatch(route -> EVERYWHERE.equals(route.destinationCidrBlock()));
        findings.add(
                out
                        ? good("egress", subnet + " has a default route")
                        : warning(
                                "egress",
                                subnet + " has no default route",
                                "fine where nothing is fetched from outside; else add a NAT gateway or a proxy"));
    }

    private Optional<AwsPlaces.Place> somewhere() {
        return places.zones()
                .flatMap(zones -> zones.stream().sorted().findFirst())
                .flatMap(zone -> places.find(zone, probe(zone, "t3.micro", "")));
    }

    private LaunchRequest probe(String zone, String type, String image) {
        return LaunchRequest.of("doctor", 1, new OfferingId(site.site(), zone, type, Market.ON_DEMAND), 1)
                .withImage(image)
                .withTags(Map.of(Instance.TAG_ROLE, "NODE"));
    }

    private void types(Needs needs, List<Finding> findings, List<Offering> offered) {
        AwsOfferings.Answer answer = offerings.ask(clock.instant());
        offered.addAll(answer.offerings());
        if (!prices.note().isEmpty() && !answer.unpriced().isEmpty()) {
            findings.add(warning(
                    "price list",
                    prices.note(),
                    "allow pricing:GetProducts, or give prices for the types in the head's currency"));
        }
        if (!answer.unpriced().isEmpty()) {
            findings.add(warning(
                    "prices",
                    "no price for " + String.join(", ", new TreeSet<>(answer.unpriced())) + ": not offered",
                    "give their prices under the site's prices"));
        }
        if (!answer.unfit().isEmpty()) {
            boolean needed =
                    answer.offerings().isEmpty() || answer.unfit().stream().anyMatch(needs.instanceTypes()::contains);
            findings.add(new Finding(
                    "architecture",
                    needed ? Verdict.BROKEN : Verdict.WARNING,
                    "another than the image's: " + String.join(", ", new TreeSet<>(answer.unfit())) + ": not offered",
                    "give image or imageArm64 of their architecture, or leave them out of types"));
        }
        if (answer.offerings().isEmpty() && !answer.unfit().isEmpty()) {
            return;
        }
        if (answer.offerings().isEmpty()) {
            findings.add(broken(
                    "types",
                    "nothing that matches '" + String.join(",", settings.types()) + "' is for sale with a price",
                    "correct types, or give prices"));
        } else {
            findings.add(good("types", answer.offerings().size() + " offerings"));
        }
        Set<String> wanted = new TreeSet<>(needs.instanceTypes());
        wanted.removeAll(answer.unfit());
        for (String type : wanted) {
            Set<String> zones = new TreeSet<>();
            answer.offerings().stream()
                    .map(Offering::id)
                    .filter(id -> id.instanceType().equals(type))
                    .forEach(id -> zones.add(id.zone()));
            findings.add(
                    zones.isEmpty()
                            ? broken(
                                    "type " + type,
                                    "is not offered in the zones of this site",
                                    "choose another type, add a subnet in a zone that has it, or widen types")
                            : good("type " + type, "in " + String.join(", ", zones)));
        }
    }

    private void permissions(Needs needs, List<Finding> findings) {
        String image = wantedImage(needs);
        Optional<AwsPlaces.Place> place = somewhere();
        String type = needs.instanceTypes().stream()
                .sorted()
                .findFirst()
                .or(() -> catalogue.offered().keySet().stream().findFirst())
                .orElse("");
        AwsPermissions permissions = new AwsPermissions(clients.ec2());
        // A dry run would say nothing but what is broken already.
        boolean sound = findings.stream().noneMatch(each -> each.verdict() == Verdict.BROKEN);
        if (sound && !image.isEmpty() && place.isPresent() && !type.isEmpty()) {
            findings.add(permissions.launch(probe(needs, type, place.get(), false)));
            AwsMachine machine = settings.machine();
            if (!machine.directorProfile().isEmpty()
                    && !machine.directorProfile().equals(machine.profile())) {
                findings.add(permissions.launch(probe(needs, type, place.get(), true)));
            }
        }
        findings.addAll(permissions.others());
    }

    private AwsLaunchCall probe(Needs needs, String type, AwsPlaces.Place place, boolean director) {
        return new AwsLaunchCall(
                "",
                type,
                Market.ON_DEMAND,
                1,
                catalogue.image(needs.image(), type),
                settings.rootDevice(),
                settings.diskGib(),
                settings.keyName(),
                "",
                new AwsTags(site).all(),
                place,
                "",
                AwsLaunchCall.Capacity.ANY,
                0,
                catalogue.extras(type, director));
    }
}
