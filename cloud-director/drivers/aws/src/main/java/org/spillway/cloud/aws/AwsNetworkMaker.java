package org.spillway.cloud.aws;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.spillway.cloud.CloudException;
import org.spillway.policy.LaunchOutcome.Reason;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.ec2.Ec2Client;
import software.amazon.awssdk.services.ec2.model.Address;
import software.amazon.awssdk.services.ec2.model.AllocateAddressRequest;
import software.amazon.awssdk.services.ec2.model.AssociateRouteTableRequest;
import software.amazon.awssdk.services.ec2.model.AttachInternetGatewayRequest;
import software.amazon.awssdk.services.ec2.model.AvailabilityZone;
import software.amazon.awssdk.services.ec2.model.CreateInternetGatewayRequest;
import software.amazon.awssdk.services.ec2.model.CreateNatGatewayRequest;
import software.amazon.awssdk.services.ec2.model.CreateRouteRequest;
import software.amazon.awssdk.services.ec2.model.CreateRouteTableRequest;
import software.amazon.awssdk.services.ec2.model.CreateSubnetRequest;
import software.amazon.awssdk.services.ec2.model.CreateVpcEndpointRequest;
import software.amazon.awssdk.services.ec2.model.CreateVpcRequest;
import software.amazon.awssdk.services.ec2.model.DescribeAvailabilityZonesRequest;
import software.amazon.awssdk.services.ec2.model.DescribeNatGatewaysRequest;
import software.amazon.awssdk.services.ec2.model.DomainType;
import software.amazon.awssdk.services.ec2.model.ImportKeyPairRequest;
import software.amazon.awssdk.services.ec2.model.InternetGateway;
import software.amazon.awssdk.services.ec2.model.ModifyVpcEndpointRequest;
import software.amazon.awssdk.services.ec2.model.NatGateway;
import software.amazon.awssdk.services.ec2.model.NatGatewayState;
import software.amazon.awssdk.services.ec2.model.ReplaceRouteRequest;
import software.amazon.awssdk.services.ec2.model.ResourceType;
import software.amazon.awssdk.services.ec2.model.Route;
import software.amazon.awssdk.services.ec2.model.RouteState;
import software.amazon.awssdk.services.ec2.model.RouteTable;
import software.amazon.awssdk.services.ec2.model.TagSpecification;
import software.amazon.awssdk.services.ec2.model.VpcEndpoint;
import software.amazon.awssdk.services.ec2.model.VpcEndpointType;

/** Makes of a site's network what is not there yet. Each step looks first, so that it can be done again after a crash. */
final class AwsNetworkMaker {
    private static final int MAX_ZONES = 8;
    private static final Duration NAT_TIME = Duration.ofMinutes(10);
    private static final Duration NAT_POLL = Duration.ofSeconds(3);
    private static final String EVERYWHERE = "0.0.0.0/0";
    private final AwsSettings settings;
    private final Ec2Client ec2;
    private final AwsTags tags;

    AwsNetworkMaker(AwsSettings settings, Ec2Client ec2, AwsTags tags) {
        this.settings = settings;
        this.ec2 = ec2;
        this.tags = tags;
    }

    void make(AwsNetworkParts parts) throws CloudException {
        String vpc = parts.networks().isEmpty()
                ? ec2.createVpc(CreateVpcRequest.builder()
                                .cidrBlock(settings.vpcCidr())
                                .tagSpecifications(tagged(ResourceType.VPC, "network"))
                                .build())
                        .vpc()
                        .vpcId()
                : parts.networks().getFirst().vpcId();
        groups(parts, vpc);
        key(parts);
        String internet = internet(parts, vpc);
        String open = table(parts, vpc, AwsPlaces.PUBLIC);
        String inner = table(parts, vpc, AwsPlaces.PRIVATE);
        route(
                parts,
                AwsPlaces.PUBLIC,
                CreateRouteRequest.builder().routeTableId(open).gatewayId(internet));
        List<String> zones = zones();
        String first = "";
        for (int i = 0; i < zones.size(); i++) {
            String inside = subnet(parts, vpc, AwsPlaces.PRIVATE, zones.get(i), "." + i * 16 + ".0/20");
            String outside = subnet(parts, vpc, AwsPlaces.PUBLIC, zones.get(i), "." + (240 + i) + ".0/24");
            associate(parts, AwsPlaces.PRIVATE, inner, inside);
            associate(parts, AwsPlaces.PUBLIC, open, outside);
            first = first.isEmpty() ? outside : first;
        }
        if (settings.s3Endpoint()) {
            storage(parts, vpc, List.of(open, inner));
        }
        String nat = nat(parts, first);
        route(
                parts,
                AwsPlaces.PRIVATE,
                CreateRouteRequest.builder().routeTableId(inner).natGatewayId(nat));
    }

    private TagSpecification tagged(ResourceType type, String part) {
        return AwsTags.specification(type, tags.ofNetwork(part));
    }

    private List<String> zones() throws CloudException {
        List<String> zones = ec2
                .describeAvailabilityZones(DescribeAvailabilityZonesRequest.builder()
                        .filters(AwsTags.filter("state", "available"), AwsTags.filter("zone-type", "availability-zone"))
                        .build())
                .availabilityZones()
                .stream()
                .map(AvailabilityZone::zoneName)
                .sorted()
                .limit(MAX_ZONES)
                .toList();
        if (zones.isEmpty()) {
            throw new CloudException(Reason.INVALID, "region " + settings.region() + " has no zone for this account");
        }
        return zones;
    }

    private String internet(AwsNetworkParts parts, String vpc) {
        InternetGateway gateway = parts.internet().isEmpty()
                ? ec2.createInternetGateway(CreateInternetGatewayRequest.builder()
                                .tagSpecifications(tagged(ResourceType.INTERNET_GATEWAY, "internet"))
                                .build())
                        .internetGateway()
                : parts.internet().getFirst();
        if (gateway.attachments().isEmpty()) {
            ec2.attachInternetGateway(AttachInternetGatewayRequest.builder()
                    .internetGatewayId(gateway.internetGatewayId())
                    .vpcId(vpc)
                    .build());
        }
        return gateway.internetGatewayId();
    }

    private String table(AwsNetworkParts parts, String vpc, String part) {
        return parts.table(part)
                .map(RouteTable::routeTableId)
                .orElseGet(() -> ec2.createRouteTable(CreateRouteTableRequest.builder()
                                .vpcId(vpc)
                                .tagSpecifications(tagged(ResourceType.ROUTE_TABLE, part))
                                .build())
                        .routeTable()
                        .routeTableId());
    }

    /**
     * A route that leads nowhere, since its gateway is gone, is led to the new one; what a person has made of it stays.
     */
    private void route(AwsNetworkParts parts, String part, CreateRouteRequest.Builder way) {
        CreateRouteRequest route = way.destinationCidrBlock(EVERYWHERE).build();
        Optional<Route> there = parts.table(part).stream()
                .flatMap(table -> table.routes().stream())
                .filter(each -> EVERYWHERE.equals(each.destinationCidrBlock()))
                .findFirst();
        if (there.isEmpty()) {
            AwsSecurityGroups.unless("RouteAlreadyExists", () -> ec2.createRoute(route));
        } else if (there.get().state() == RouteState.BLACKHOLE) {
            ec2.replaceRoute(ReplaceRouteRequest.builder()
                    .routeTableId(route.routeTableId())
                    .destinationCidrBlock(EVERYWHERE)
                    .gatewayId(route.gatewayId())
                    .natGatewayId(route.natGatewayId())
                    .build());
        }
    }

    private String subnet(AwsNetworkParts parts, String vpc, String part, String zone, String end) {
        String cidr = settings.vpcCidr().replaceFirst("^([0-9]+\\.[0-9]+)\\..*$", "$1") + end;
        return parts.subnet(part, zone)
                .map(each -> each.subnetId())
                .orElseGet(() -> ec2.createSubnet(CreateSubnetRequest.builder()
                                .vpcId(vpc)
                                .availabilityZone(zone)
                                .cidrBlock(cidr)
                                .tagSpecifications(tagged(ResourceType.SUBNET, part))
                                .build())
                        .subnet()
                        .subnetId());
    }

    private void associate(AwsNetworkParts parts, String part, String table, String subnet) {
        boolean there = parts.table(part).stream()
                .flatMap(each -> each.associations().stream())
                .anyMatch(each -> subnet.equals(each.subnetId()));
        if (!there) {
            ec2.associateRouteTable(AssociateRouteTableRequest.builder()
                    .routeTableId(table)
                    .subnetId(subnet)
                    .build());
        }
    }

    private String nat(AwsNetworkParts parts, String subnet) throws CloudException {
        String id;
        if (parts.gateways().isEmpty()) {
            String address = parts.addresses().stream()
                    .findFirst()
                    .map(Address::allocationId)
                    .orElseGet(() -> ec2.allocateAddress(AllocateAddressRequest.builder()
                                    .domain(DomainType.VPC)
                                    .tagSpecifications(tagged(ResourceType.ELASTIC_IP, "nat"))
                                    .build())
                            .allocationId());
            id = ec2.createNatGateway(CreateNatGatewayRequest.builder()
                            .clientToken(AwsLaunch.hash(subnet + address + dead()))
                            .subnetId(subnet)
                            .allocationId(address)
                            .tagSpecifications(tagged(ResourceType.NATGATEWAY, "nat"))
                            .build())
                    .natGateway()
                    .natGatewayId();
        } else {
            id = parts.gateways().getFirst().natGatewayId();
        }
        AwsWait.until(NAT_TIME, NAT_POLL, "NAT gateway " + id + " is not available", () -> available(id));
        return id;
    }

    /**
     * A gateway endpoint costs nothing, and what goes through it is not paid to the NAT gateway ("Gateway endpoints for Amazon
     * S3").
     */
    private void storage(AwsNetworkParts parts, String vpc, List<String> tables) {
        if (parts.endpoints().isEmpty()) {
            ec2.createVpcEndpoint(CreateVpcEndpointRequest.builder()
                    .vpcEndpointType(VpcEndpointType.GATEWAY)
                    .vpcId(vpc)
                    .serviceName("com.amazonaws." + settings.region() + ".s3")
                    .routeTableIds(tables)
                    .tagSpecifications(tagged(ResourceType.VPC_ENDPOINT, "storage"))
                    .build());
            return;
        }
        VpcEndpoint there = parts.endpoints().getFirst();
        List<String> missing = tables.stream()
                .filter(each -> !there.routeTableIds().contains(each))
                .toList();
        if (!missing.isEmpty()) {
            ec2.modifyVpcEndpoint(ModifyVpcEndpointRequest.builder()
                    .vpcEndpointId(there.vpcEndpointId())
                    .addRouteTableIds(missing)
                    .build());
        }
    }

    /** The client token of one that is gone would bring that one back, which is none. */
    private List<String> dead() {
        return ec2
                .describeNatGateways(DescribeNatGatewaysRequest.builder()
                        .filter(Stream.concat(
                                        tags.filters().stream(),
                                        Stream.of(AwsTags.filter("state", "deleted", "deleting", "failed")))
                                .toList())
                        .build())
                .natGateways()
                .stream()
                .map(NatGateway::natGatewayId)
                .sorted()
                .toList();
    }

    private boolean available(String id) throws CloudException {
        for (NatGateway each : ec2.describeNatGateways(
                        DescribeNatGatewaysRequest.builder().natGatewayIds(id).build())
                .natGateways()) {
            if (each.state() == NatGatewayState.FAILED || each.state() == NatGatewayState.DELETED) {
                throw new CloudException(
                        Reason.INVALID,
                        "NAT gateway " + id + " failed: " + AwsErrors.printable(String.valueOf(each.failureMessage())));
            }
            if (each.state() == NatGatewayState.AVAILABLE) {
                return true;
            }
        }
        return false;
    }

    private void groups(AwsNetworkParts parts, String vpc) {
        AwsSecurityGroups groups = new AwsSecurityGroups(ec2, tags);
        groups.peers(parts, vpc, "spillway-" + AwsPlaces.PEERS, "Spillway: instances of one site");
        groups.directors(parts, vpc, settings.sshPort(), settings.adminCidr());
    }

    private void key(AwsNetworkParts parts) throws CloudException {
        Path file = settings.publicKeyFile();
        if (file == null || !parts.keys().isEmpty()) {
            return;
        }
        byte[] key;
        try {
            key = Files.readAllBytes(file);
        } catch (IOException unreadable) {
            throw new CloudException(Reason.INVALID, "publicKeyFile cannot be read: " + unreadable.getMessage());
        }
        AwsSecurityGroups.unless(
                "InvalidKeyPair.Duplicate",
                () -> ec2.importKeyPair(ImportKeyPairRequest.builder()
                        .keyName(settings.keyName())
                        .publicKeyMaterial(SdkBytes.fromByteArray(key))
                        .tagSpecifications(tagged(ResourceType.KEY_PAIR, "key"))
                        .build()));
    }
}
