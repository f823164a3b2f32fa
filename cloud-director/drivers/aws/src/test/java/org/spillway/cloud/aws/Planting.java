package org.spillway.cloud.aws;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Planted;
import org.spillway.localcloud.LocalCloudProcess;
import software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.profiles.ProfileFile;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.ec2.Ec2Client;
import software.amazon.awssdk.services.ec2.model.ResourceType;
import software.amazon.awssdk.services.ec2.model.TagSpecification;

/** A person with the account's keys, and none of the driver's habits. */
public final class Planting implements AutoCloseable {
    static final String IMAGE = "ami-00000000000000001";
    private static final String SUBNET = "subnet-00000000000000001";
    /** Names are of the account. */
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final Ec2Client ec2;
    private String planted = "";

    public Planting(LocalCloudProcess cloud) throws Exception {
        Path file = cloud.state().resolve("api/ec2/credentials");
        ec2 = Ec2Client.builder()
                .endpointOverride(URI.create(cloud.apiEndpoint()))
                .region(Region.US_EAST_1)
                .httpClient(UrlConnectionHttpClient.create())
                .credentialsProvider(ProfileCredentialsProvider.builder()
                        .profileFile(ProfileFile.builder()
                                .content(file)
                                .type(ProfileFile.Type.CREDENTIALS)
                                .build())
                        .build())
                .build();
    }

    Ec2Client ec2() {
        return ec2;
    }

    String reservation(String type, String zone, int count) {
        return ec2.createCapacityReservation(request -> request.instanceType(type)
                        .availabilityZone(zone)
                        .instancePlatform("Linux/UNIX")
                        .instanceCount(count))
                .capacityReservation()
                .capacityReservationId();
    }

    /** A reservation that takes only machines that name it. */
    public String targeted(String type, String zone, int count) {
        return ec2.createCapacityReservation(request -> request.instanceType(type)
                        .availabilityZone(zone)
                        .instancePlatform("Linux/UNIX")
                        .instanceMatchCriteria("targeted")
                        .instanceCount(count))
                .capacityReservation()
                .capacityReservationId();
    }

    /** Machines that are in a reservation. */
    public int inUse(String reservation) {
        var found = ec2.describeCapacityReservations(request -> request.capacityReservationIds(reservation))
                .capacityReservations()
                .getFirst();
        return found.totalInstanceCount() - found.availableInstanceCount();
    }

    private static TagSpecification tags(ResourceType type, Map<String, String> marks) {
        return AwsTags.specification(type, marks);
    }

    /** Marked as that site's. */
    public List<Planted> oneOfEachKind(String cluster, String site) {
        Map<String, String> marks = Map.of(Instance.TAG_CLUSTER, cluster, Instance.TAG_SITE, site);
        planted = "planted-" + NUMBER.incrementAndGet();
        List<Planted> all = new ArrayList<>();
        Planted machine = instance(marks);
        all.add(machine);
        String disk = ec2.createVolume(request -> request.availabilityZone("us-east-1a")
                        .size(10)
                        .tagSpecifications(tags(ResourceType.VOLUME, marks)))
                .volumeId();
        all.add(new Planted("disk", disk));
        all.add(new Planted(
                "snapshot",
                ec2.createSnapshot(
                                request -> request.volumeId(disk).tagSpecifications(tags(ResourceType.SNAPSHOT, marks)))
                        .snapshotId()));
        all.add(new Planted(
                "image",
                ec2.createImage(request -> request.instanceId(machine.id())
                                .name(planted)
                                .tagSpecifications(tags(ResourceType.IMAGE, marks)))
                        .imageId()));
        all.add(new Planted(
                "interface",
                ec2.createNetworkInterface(request ->
                                request.subnetId(SUBNET).tagSpecifications(tags(ResourceType.NETWORK_INTERFACE, marks)))
                        .networkInterface()
                        .networkInterfaceId()));
        group(marks, all);
        network(marks, all);
        return all;
    }

    Planted instance(Map<String, String> marks) {
        return new Planted(
                "instance",
                ec2.runInstances(request -> request.imageId(IMAGE)
                                .instanceType("t3.nano")
                                .minCount(1)
                                .maxCount(1)
                                .subnetId(SUBNET)
                                .tagSpecifications(tags(ResourceType.INSTANCE, marks)))
                        .instances()
                        .getFirst()
                        .instanceId());
    }

    private void group(Map<String, String> marks, List<Planted> all) {
        String name = planted;
        all.add(new Planted(
                "key",
                ec2.importKeyPair(request -> request.keyName(name)
                                .publicKeyMaterial(SdkBytes.fromUtf8String("ssh-ed25519 AAAA planted"))
                                .tagSpecifications(tags(ResourceType.KEY_PAIR, marks)))
                        .keyPairId()));
        ec2.createPlacementGroup(request -> request.groupName(name)
                .strategy("cluster")
                .tagSpecifications(tags(ResourceType.PLACEMENT_GROUP, marks)));
        all.add(new Planted("placement-group", name));
        all.add(new Planted(
                "launch-template",
                ec2.createLaunchTemplate(request -> request.launchTemplateName(name)
                                .launchTemplateData(data -> data.imageId(IMAGE))
                                .tagSpecifications(tags(ResourceType.LAUNCH_TEMPLATE, marks)))
                        .launchTemplate()
                        .launchTemplateId()));
        all.add(new Planted(
                "reservation",
                ec2.createCapacityReservation(request -> request.instanceType("t3.nano")
                                .availabilityZone("us-east-1a")
                                .instancePlatform("Linux/UNIX")
                                .instanceCount(1)
                                .tagSpecifications(tags(ResourceType.CAPACITY_RESERVATION, marks)))
                        .capacityReservation()
                        .capacityReservationId()));
    }

    /** An address before the gateway that holds it: its deletion is held up once. */
    private void network(Map<String, String> marks, List<Planted> all) {
        String vpc = ec2.createVpc(
                        request -> request.cidrBlock("10.9.0.0/16").tagSpecifications(tags(ResourceType.VPC, marks)))
                .vpc()
                .vpcId();
        String group = ec2.createSecurityGroup(request -> request.vpcId(vpc)
                        .groupName("planted")
                        .description("planted")
                        .tagSpecifications(tags(ResourceType.SECURITY_GROUP, marks)))
                .groupId();
        String subnet = ec2.createSubnet(request -> request.vpcId(vpc)
                        .availabilityZone("us-east-1a")
                        .cidrBlock("10.9.0.0/20")
                        .tagSpecifications(tags(ResourceType.SUBNET, marks)))
                .subnet()
                .subnetId();
        String table = ec2.createRouteTable(
                        request -> request.vpcId(vpc).tagSpecifications(tags(ResourceType.ROUTE_TABLE, marks)))
                .routeTable()
                .routeTableId();
        ec2.associateRouteTable(request -> request.routeTableId(table).subnetId(subnet));
        String internet = ec2.createInternetGateway(
                        request -> request.tagSpecifications(tags(ResourceType.INTERNET_GATEWAY, marks)))
                .internetGateway()
                .internetGatewayId();
        ec2.attachInternetGateway(request -> request.internetGatewayId(internet).vpcId(vpc));
        String address = ec2.allocateAddress(
                        request -> request.domain("vpc").tagSpecifications(tags(ResourceType.ELASTIC_IP, marks)))
                .allocationId();
        all.add(new Planted("address", address));
        all.add(new Planted(
                "gateway",
                ec2.createNatGateway(request -> request.subnetId(subnet)
                                .allocationId(address)
                                .tagSpecifications(tags(ResourceType.NATGATEWAY, marks)))
                        .natGateway()
                        .natGatewayId()));
        all.add(new Planted("internet-gateway", internet));
        all.add(new Planted("route-table", table));
        all.add(new Planted("subnet", subnet));
        all.add(new Planted("group", group));
        all.add(new Planted("network", vpc));
    }

    @Override
    public void close() {
        ec2.close();
    }
}
