package org.spillway.cloud.aws;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchRequest;
import software.amazon.awssdk.services.ec2.model.DescribeSecurityGroupsRequest;
import software.amazon.awssdk.services.ec2.model.DescribeSubnetsRequest;
import software.amazon.awssdk.services.ec2.model.Filter;
import software.amazon.awssdk.services.ec2.model.SecurityGroup;
import software.amazon.awssdk.services.ec2.model.Subnet;

/** Into which subnet an instance goes, with which groups: as configured, or as {@code site create} has made them. */
final class AwsPlaces {
    static final String PRIVATE = "private";
    static final String PUBLIC = "public";
    static final String PEERS = "peers";
    static final String DIRECTORS = "directors";
    /** How long a network that was found is believed in. */
    private static final Duration REMEMBERED = Duration.ofMinutes(5);

    private static final int PAGE = 1000;
    private final AwsSettings settings;
    private final AwsClients clients;
    private final AwsTags tags;
    private final InstantSource clock;
    private volatile @Nullable Made made;

    AwsPlaces(AwsSettings settings, AwsClients clients, AwsTags tags, InstantSource clock) {
        this.settings = settings;
        this.clients = clients;
        this.tags = tags;
        this.clock = clock;
    }

    /** Where one instance goes. */
    record Place(String zone, String subnet, List<String> groups, boolean publicAddress) {
        Place {
            groups = List.copyOf(groups);
        }
    }

    /** Parts that {@code site create} has made: subnets by zone for nodes and directors, groups by their part. */
    private record Made(
            Instant at, Map<String, String> nodes, Map<String, String> directors, Map<String, String> groups) {
        Made {
            nodes = Map.copyOf(nodes);
            directors = Map.copyOf(directors);
            groups = Map.copyOf(groups);
        }
    }

    /** Empty if there is no network in that zone. */
    Optional<Place> find(String zone, LaunchRequest request) {
        boolean director = Instance.isAdministered(request.tags());
        boolean open = director && settings.publicDirector();
        List<String> groups = new ArrayList<>();
        String subnet;
        if (settings.subnets().isEmpty()) {
            Made network = made();
            subnet = (open ? network.directors() : network.nodes()).get(zone);
            String peers = network.groups().getOrDefault(PEERS, "");
            if (peers.isEmpty()) {
                return Optional.empty();
            }
            groups.add(peers);
            groups.add(director ? network.groups().getOrDefault(DIRECTORS, "") : "");
        } else {
            subnet = (director ? settings.directorSubnets() : settings.subnets()).get(zone);
            groups.add(settings.securityGroup());
            groups.add(director ? settings.directorSecurityGroup() : "");
        }
        groups.removeIf(String::isEmpty);
        return subnet == null || groups.isEmpty()
                ? Optional.empty()
                : Optional.of(new Place(zone, subnet, groups, open));
    }

    /** Zones with a subnet for nodes; empty if there is no network at all. */
    Optional<Set<String>> zones() {
        Set<String> zones = settings.subnets().isEmpty()
                ? made().nodes().keySet()
                : settings.subnets().keySet();
        return zones.isEmpty() ? Optional.empty() : Optional.of(zones);
    }

    /** After the network has changed, or a launch was told that it has. */
    void forget() {
        made = null;
    }

    private Made made() {
        Made known = made;
        Instant now = clock.instant();
        if (known == null
                || known.nodes().isEmpty()
                || !known.groups().containsKey(PEERS)
                || known.at().plus(REMEMBERED).isBefore(now)) {
            known = look(now);
            made = known;
        }
        return known;
    }

    private Made look(Instant now) {
        DescribeSubnetsRequest request = DescribeSubnetsRequest.builder()
                .filters(tags.networkFilters())
                .maxResults(PAGE)
                .build();
        List<Subnet> subnets = AwsPages.all(
                "DescribeSubnets",
                token -> clients.ec2()
                        .describeSubnets(request.toBuilder().nextToken(token).build()),
                answer -> answer.subnets(),
                answer -> answer.nextToken());
        Map<String, String> nodes = new HashMap<>();
        Map<String, String> directors = new HashMap<>();
        for (Subnet subnet : subnets) {
            String part = AwsTags.map(subnet.tags()).getOrDefault(AwsTags.PART, "");
            // A crash may have left two of one part; the first by its id is everybody's choice.
            if (part.equals(PRIVATE)) {
                nodes.merge(subnet.availabilityZone(), subnet.subnetId(), AwsPlaces::first);
            } else if (part.equals(PUBLIC)) {
                directors.merge(subnet.availabilityZone(), subnet.subnetId(), AwsPlaces::first);
            }
        }
        Map<String, String> groups = new HashMap<>();
        if (!nodes.isEmpty()) {
            groups.putAll(groups(tags.networkFilters()));
            if (tags.isGuest()) {
                // Without a group of its own it goes nowhere: its host's peers are not its own.
                groups.remove(PEERS);
                Optional.ofNullable(groups(tags.filters()).get(PEERS)).ifPresent(own -> groups.put(PEERS, own));
            }
        }
        return new Made(now, nodes, directors, groups);
    }

    private Map<String, String> groups(List<Filter> filters) {
        Map<String, String> groups = new HashMap<>();
        DescribeSecurityGroupsRequest ask =
                DescribeSecurityGroupsRequest.builder().filters(filters).build();
        for (SecurityGroup group : clients.ec2().describeSecurityGroups(ask).securityGroups()) {
            groups.merge(AwsTags.map(group.tags()).getOrDefault(AwsTags.PART, ""), group.groupId(), AwsPlaces::first);
        }
        return groups;
    }

    private static String first(String one, String other) {
        return one.compareTo(other) <= 0 ? one : other;
    }
}
