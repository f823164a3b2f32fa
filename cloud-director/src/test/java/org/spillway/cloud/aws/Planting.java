package org.spillway.cloud.aws;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.spillway.cloud.CloudDriverContract;
import org.spillway.cloud.Instance;
import org.spillway.cloud.localcloud.LocalCloudProcess;
import software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.profiles.ProfileFile;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.ec2.Ec2Client;
import software.amazon.awssdk.services.ec2.model.ResourceType;
import software.amazon.awssdk.services.ec2.model.TagSpecification;

/** A person with the account's keys, and none of the driver's habits. */
final class Planting implements AutoCloseable {
    static final String IMAGE = "ami-00000000000000001";
    private static final String SUBNET = "subnet-00000000000000001";
    private final Ec2Client ec2;
    private int planted;

    Planting(LocalCloudProcess cloud) throws Exception {
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

    private static TagSpecification tags(ResourceType type, String cluster) {
        return AwsTags.specification(type, Map.of(Instance.TAG_CLUSTER, cluster, Instance.TAG_SITE, "here"));
    }

    List<CloudDriverContract.Planted> oneOfEachKind(String cluster) {
        planted++;
        List<CloudDriverContract.Planted> all = new ArrayList<>();
        String instance = ec2.runInstances(request -> request.imageId(IMAGE)
                        .instanceType("t3.nano")
                        .minCount(1)
                        .maxCount(1)
                        .subnetId(SUBNET)
                        .tagSpecifications(tags(ResourceType.INSTANCE, cluster)))
                .instances()
                .getFirst()
                .instanceId();
        all.add(new CloudDriverContract.Planted("instance", instance));
        String disk = ec2.createVolume(request -> request.availabilityZone("us-east-1a")
                        .size(10)
                        .tagSpecifications(tags(ResourceType.VOLUME, cluster)))
                .volumeId();
        all.add(new CloudDriverContract.Planted("disk", disk));
        all.add(new CloudDriverContract.Planted(
                "snapshot",
                ec2.createSnapshot(request ->
                                request.volumeId(disk).tagSpecifications(tags(ResourceType.SNAPSHOT, cluster)))
                        .snapshotId()));
        all.add(new CloudDriverContract.Planted(
                "image",
                ec2.createImage(request -> request.instanceId(instance)
                                .name("planted-" + planted)
                                .tagSpecifications(tags(ResourceType.IMAGE, cluster)))
                        .imageId()));
        all.add(new CloudDriverContract.Planted(
                "interface",
                ec2.createNetworkInterface(request -> request.subnetId(SUBNET)
                                .tagSpecifications(tags(ResourceType.NETWORK_INTERFACE, cluster)))
                        .networkInterface()
                        .networkInterfaceId()));
        group(cluster, all);
        network(cluster, all);
        return all;
    }

    private void group(String cluster, List<CloudDriverContract.Planted> all) {
        String name = "planted-" + planted;
        all.add(new CloudDriverContract.Planted(
                "key",
                ec2.importKeyPair(request -> request.keyName(name)
                                .publicKeyMaterial(SdkBytes.fromUtf8String("ssh-ed25519 AAAA planted"))
                                .tagSpecifications(tags(ResourceType.KEY_PAIR, cluster)))
                        .keyPairId()));
        ec2.createPlacementGroup(request -> request.groupName(name)
                .strategy("cluster")
                .tagSpecifications(tags(ResourceType.PLACEMENT_GROUP, cluster)));
        all.add(new CloudDriverContract.Planted("placement-group", name));
        all.add(new CloudDriverContract.Planted(
                "launch-template",
                ec2.createLaunchTemplate(request -> request.launchTemplateName(name)
                                .launchTemplateData(data -> data.imageId(IMAGE))
                                .tagSpecifications(tags(ResourceType.LAUNCH_TEMPLATE, cluster)))
                        .launchTemplate()
                        .launchTemplateId()));
        all.add(new CloudDriverContract.Planted(
                "reservation",
                ec2.createCapacityReservation(request -> request.instanceType("t3.nano")
                                .availabilityZone("us-east-1a")
                                .instancePlatform("Linux/UNIX")
                                .instanceCount(1)
                                .tagSpecifications(tags(ResourceType.CAPACITY_RESERVATION, cluster)))
                        .capacityReservation()
                        .capacityReservationId()));
    }

    /** An address before the gateway that holds it: its deletion is held up once. */
    private void network(String cluster, List<CloudDriverContract.Planted> all) {
        String vpc = ec2.createVpc(
                        request -> request.cidrBlock("10.9.0.0/16").tagSpecifications(tags(ResourceType.VPC, cluster)))
                .vpc()
                .vpcId();
        String group = ec2.createSecurityGroup(request -> request.vpcId(vpc)
                        .groupName("planted")
                        .description("planted")
                        .tagSpecifications(tags(ResourceType.SECURITY_GROUP, cluster)))
                .groupId();
        String subnet = ec2.createSubnet(request -> request.vpcId(vpc)
                        .availabilityZone("us-east-1a")
                        .cidrBlock("10.9.0.0/20")
                        .tagSpecifications(tags(ResourceType.SUBNET, cluster)))
                .subnet()
                .subnetId();
        String table = ec2.createRouteTable(
                        request -> request.vpcId(vpc).tagSpecifications(tags(ResourceType.ROUTE_TABLE, cluster)))
                .routeTable()
                .routeTableId();
        ec2.associateRouteTable(request -> request.routeTableId(table).subnetId(subnet));
        String internet = ec2.createInternetGateway(
                        request -> request.tagSpecifications(tags(ResourceType.INTERNET_GATEWAY, cluster)))
                .internetGateway()
                .internetGatewayId();
        ec2.attachInternetGateway(request -> request.internetGatewayId(internet).vpcId(vpc));
        String address = ec2.allocateAddress(
                        request -> request.domain("vpc").tagSpecifications(tags(ResourceType.ELASTIC_IP, cluster)))
                .allocationId();
        all.add(new CloudDriverContract.Planted("address", address));
        all.add(new CloudDriverContract.Planted(
                "gateway",
                ec2.createNatGateway(request -> request.subnetId(subnet)
                                .allocationId(address)
                                .tagSpecifications(tags(ResourceType.NATGATEWAY, cluster)))
                        .natGateway()
                        .natGatewayId()));
        all.add(new CloudDriverContract.Planted("internet-gateway", internet));
        all.add(new CloudDriverContract.Planted("route-table", table));
        all.add(new CloudDriverContract.Planted("subnet", subnet));
        all.add(new CloudDriverContract.Planted("group", group));
        all.add(new CloudDriverContract.Planted("network", vpc));
    }

    @Override
    public void close() {
        ec2.close();
    }
}
