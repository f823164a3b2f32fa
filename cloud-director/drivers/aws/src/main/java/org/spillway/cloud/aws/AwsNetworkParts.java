package org.spillway.cloud.aws;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.spillway.cloud.Billable;
import org.spillway.policy.Money;
import software.amazon.awssdk.services.ec2.Ec2Client;
import software.amazon.awssdk.services.ec2.model.Address;
import software.amazon.awssdk.services.ec2.model.DescribeAddressesRequest;
import software.amazon.awssdk.services.ec2.model.DescribeInternetGatewaysRequest;
import software.amazon.awssdk.services.ec2.model.DescribeKeyPairsRequest;
import software.amazon.awssdk.services.ec2.model.DescribeNatGatewaysRequest;
import software.amazon.awssdk.services.ec2.model.DescribeRouteTablesRequest;
import software.amazon.awssdk.services.ec2.model.DescribeSecurityGroupsRequest;
import software.amazon.awssdk.services.ec2.model.DescribeSubnetsRequest;
import software.amazon.awssdk.services.ec2.model.DescribeVpcEndpointsRequest;
import software.amazon.awssdk.services.ec2.model.DescribeVpcsRequest;
import software.amazon.awssdk.services.ec2.model.Filter;
import software.amazon.awssdk.services.ec2.model.InternetGateway;
import software.amazon.awssdk.services.ec2.model.KeyPairInfo;
import software.amazon.awssdk.services.ec2.model.NatGateway;
import software.amazon.awssdk.services.ec2.model.NatGatewayState;
import software.amazon.awssdk.services.ec2.model.RouteTable;
import software.amazon.awssdk.services.ec2.model.SecurityGroup;
import software.amazon.awssdk.services.ec2.model.State;
import software.amazon.awssdk.services.ec2.model.Subnet;
import software.amazon.awssdk.services.ec2.model.Tag;
import software.amazon.awssdk.services.ec2.model.Vpc;
import software.amazon.awssdk.services.ec2.model.VpcEndpoint;

/** The parts of networks that bear certain tags, each kind by the order of ids. */
record AwsNetworkParts(
        List<Vpc> networks,
        List<InternetGateway> internet,
        List<Subnet> subnets,
        List<RouteTable> tables,
        List<NatGateway> gateways,
        List<Address> addresses,
        List<SecurityGroup> groups,
        List<KeyPairInfo> keys,
        List<VpcEndpoint> endpoints) {
    private static final int PAGE = 1000;

    /** @param filters by tags */
    static AwsNetworkParts find(Ec2Client ec2, List<Filter> filters) {
        return new AwsNetworkParts(
                networks(ec2, filters),
                internet(ec2, filters),
                subnets(ec2, filters),
                tables(ec2, filters),
                gateways(ec2, filters),
                ec2
                        .describeAddresses(DescribeAddressesRequest.builder()
                                .filters(filters)
                                .build())
                        .addresses()
                        .stream()
                        .sorted(Comparator.comparing(Address::allocationId))
                        .toList(),
                groups(ec2, filters),
                ec2
                        .describeKeyPairs(DescribeKeyPairsRequest.builder()
                                .filters(filters)
                                .build())
                        .keyPairs()
                        .stream()
                        .sorted(Comparator.comparing(KeyPairInfo::keyPairId))
                        .toList(),
                endpoints(ec2, filters));
    }

    /** All that one cluster has in another's network. */
    static AwsNetworkParts groupsOnly(Ec2Client ec2, List<Filter> filters) {
        return new AwsNetworkParts(
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                groups(ec2, filters),
                List.of(),
                List.of());
    }

    private static List<Vpc> networks(Ec2Client ec2, List<Filter> filters) {
        DescribeVpcsRequest request =
                DescribeVpcsRequest.builder().filters(filters).maxResults(PAGE).build();
        return AwsPages.all(
                        "DescribeVpcs",
                        token -> ec2.describeVpcs(
                                request.toBuilder().nextToken(token).build()),
                        answer -> answer.vpcs(),
                        answer -> answer.nextToken())
                .stream()
                .sorted(Comparator.comparing(Vpc::vpcId))
                .toList();
    }

    private static List<InternetGateway> internet(Ec2Client ec2, List<Filter> filters) {
        DescribeInternetGatewaysRequest request = DescribeInternetGatewaysRequest.builder()
                .filters(filters)
                .maxResults(PAGE)
                .build();
        return AwsPages.all(
                        "DescribeInternetGateways",
                        token -> ec2.describeInternetGateways(
                                request.toBuilder().nextToken(token).build()),
                        answer -> answer.internetGateways(),
                        answer -> answer.nextToken())
                .stream()
                .sorted(Comparator.comparing(InternetGateway::internetGatewayId))
                .toList();
    }

    private static List<Subnet> subnets(Ec2Client ec2, List<Filter> filters) {
        DescribeSubnetsRequest request = DescribeSubnetsRequest.builder()
                .filters(filters)
                .maxResults(PAGE)
                .build();
        return AwsPages.all(
                        "DescribeSubnets",
                        token -> ec2.describeSubnets(
                                request.toBuilder().nextToken(token).build()),
                        answer -> answer.subnets(),
                        answer -> answer.nextToken())
                .stream()
                .sorted(Comparator.comparing(Subnet::subnetId))
                .toList();
    }

    private static List<RouteTable> tables(Ec2Client ec2, List<Filter> filters) {
        DescribeRouteTablesRequest request = DescribeRouteTablesRequest.builder()
                .filters(filters)
                .maxResults(100)
                .build();
        return AwsPages.all(
                        "DescribeRouteTables",
                        token -> ec2.describeRouteTables(
                                request.toBuilder().nextToken(token).build()),
                        answer -> answer.routeTables(),
                        answer -> answer.nextToken())
                .stream()
                .sorted(Comparator.comparing(RouteTable::routeTableId))
                .toList();
    }

    /** Without those that are gone, which EC2 lists for about an hour. */
    private static List<NatGateway> gateways(Ec2Client ec2, List<Filter> filters) {
        DescribeNatGatewaysRequest request = DescribeNatGatewaysRequest.builder()
                .filter(filters)
                .maxResults(PAGE)
                .build();
        return AwsPages.all(
                        "DescribeNatGateways",
                        token -> ec2.describeNatGateways(
                                request.toBuilder().nextToken(token).build()),
                        answer -> answer.natGateways(),
                        answer -> answer.nextToken())
                .stream()
                .filter(each -> each.state() != NatGatewayState.DELETED && each.state() != NatGatewayState.FAILED)
                .sorted(Comparator.comparing(NatGateway::natGatewayId))
                .toList();
    }

    /** Without those that are gone, which EC2 lists for a while. */
    private static List<VpcEndpoint> endpoints(Ec2Client ec2, List<Filter> filters) {
        DescribeVpcEndpointsRequest request = DescribeVpcEndpointsRequest.builder()
                .filters(filters)
                .maxResults(PAGE)
                .build();
        return AwsPages.all(
                        "DescribeVpcEndpoints",
                        token -> ec2.describeVpcEndpoints(
                                request.toBuilder().nextToken(token).build()),
                        answer -> answer.vpcEndpoints(),
                        answer -> answer.nextToken())
                .stream()
                .filter(each -> each.state() != State.DELETED && each.state() != State.FAILED)
                .sorted(Comparator.comparing(VpcEndpoint::vpcEndpointId))
                .toList();
    }

    private static List<SecurityGroup> groups(Ec2Client ec2, List<Filter> filters) {
        DescribeSecurityGroupsRequest request = DescribeSecurityGroupsRequest.builder()
                .filters(filters)
                .maxResults(PAGE)
                .build();
        return AwsPages.all(
                        "DescribeSecurityGroups",
                        token -> ec2.describeSecurityGroups(
                                request.toBuilder().nextToken(token).build()),
                        answer -> answer.securityGroups(),
                        answer -> answer.nextToken())
                .stream()
                .sorted(Comparator.comparing(SecurityGroup::groupId))
                .toList();
    }

    static String part(List<Tag> tags) {
        return AwsTags.map(tags).getOrDefault(AwsTags.PART, "");
    }

    Optional<Subnet> subnet(String part, String zone) {
        return subnets.stream()
                .filter(each -> part(each.tags()).equals(part)
                        && each.availabilityZone().equals(zone))
                .findFirst();
    }

    Optional<RouteTable> table(String part) {
        return tables.stream().filter(each -> part(each.tags()).equals(part)).findFirst();
    }

    Optional<SecurityGroup> group(String part) {
        return groups.stream().filter(each -> part(each.tags()).equals(part)).findFirst();
    }

    boolean isEmpty() {
        return networks.isEmpty()
                && internet.isEmpty()
                && subnets.isEmpty()
                && tables.isEmpty()
                && gateways.isEmpty()
                && addresses.isEmpty()
                && groups.isEmpty()
                && keys.isEmpty()
                && endpoints.isEmpty();
    }

    /** Each as a line of a bill. */
    List<Billable> billables(AwsFees fees) {
        List<Billable> all = new ArrayList<>();
        networks.forEach(each -> all.add(free("network", each.vpcId(), each.tags())));
        internet.forEach(each -> all.add(free("internet-gateway", each.internetGatewayId(), each.tags())));
        subnets.forEach(each -> all.add(free("subnet", each.subnetId(), each.tags())));
        tables.forEach(each -> all.add(free("route-table", each.routeTableId(), each.tags())));
        groups.forEach(each -> all.add(free("group", each.groupId(), each.tags())));
        keys.forEach(each -> all.add(free("key", each.keyPairId(), each.tags())));
        endpoints.forEach(each -> all.add(free("endpoint", each.vpcEndpointId(), each.tags())));
        gateways.forEach(
                each -> all.add(Billable.tagged("gateway", each.natGatewayId(), fees.nat(), AwsTags.map(each.tags()))));
        addresses.forEach(each ->
                all.add(Billable.tagged("address", each.allocationId(), fees.address(), AwsTags.map(each.tags()))));
        return all;
    }

    private static Billable free(String kind, String id, List<Tag> tags) {
        return Billable.tagged(kind, id, Money.ZERO, AwsTags.map(tags));
    }
}
