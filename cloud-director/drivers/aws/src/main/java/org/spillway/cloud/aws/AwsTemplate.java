package org.spillway.cloud.aws;

import java.util.ArrayList;
import java.util.List;
import org.spillway.policy.Market;
import software.amazon.awssdk.services.ec2.model.LaunchTemplateBlockDeviceMappingRequest;
import software.amazon.awssdk.services.ec2.model.LaunchTemplateCapacityReservationSpecificationRequest;
import software.amazon.awssdk.services.ec2.model.LaunchTemplateEbsBlockDeviceRequest;
import software.amazon.awssdk.services.ec2.model.LaunchTemplateHttpTokensState;
import software.amazon.awssdk.services.ec2.model.LaunchTemplateIamInstanceProfileSpecificationRequest;
import software.amazon.awssdk.services.ec2.model.LaunchTemplateInstanceMetadataEndpointState;
import software.amazon.awssdk.services.ec2.model.LaunchTemplateInstanceMetadataOptionsRequest;
import software.amazon.awssdk.services.ec2.model.LaunchTemplateInstanceNetworkInterfaceSpecificationRequest;
import software.amazon.awssdk.services.ec2.model.LaunchTemplateTagSpecificationRequest;
import software.amazon.awssdk.services.ec2.model.RequestLaunchTemplateData;
import software.amazon.awssdk.services.ec2.model.ResourceType;
import software.amazon.awssdk.services.ec2.model.ShutdownBehavior;

/** A launch call as the template of a fleet, which says type, subnet and image for each offering by itself. */
final class AwsTemplate {
    private AwsTemplate() {}

    static RequestLaunchTemplateData of(AwsLaunchCall call) {
        RequestLaunchTemplateData.Builder data = RequestLaunchTemplateData.builder()
                .imageId(call.image())
                .userData(AwsLaunchCall.base64(call.userData()))
                .blockDeviceMappings(disk(call))
                .networkInterfaces(LaunchTemplateInstanceNetworkInterfaceSpecificationRequest.builder()
                        .deviceIndex(0)
                        .groups(call.place().groups())
                        .associatePublicIpAddress(call.place().publicAddress())
                        .deleteOnTermination(true)
                        .build())
                .metadataOptions(LaunchTemplateInstanceMetadataOptionsRequest.builder()
                        .httpEndpoint(LaunchTemplateInstanceMetadataEndpointState.ENABLED)
                        .httpTokens(LaunchTemplateHttpTokensState.REQUIRED)
                        .httpPutResponseHopLimit(1)
                        .build())
                .instanceInitiatedShutdownBehavior(ShutdownBehavior.TERMINATE)
                .tagSpecifications(tags(call));
        if (!call.keyName().isEmpty()) {
            data.keyName(call.keyName());
        }
        String profile = call.extras().profile();
        if (!profile.isEmpty()) {
            boolean arn = profile.startsWith("arn:");
            data.iamInstanceProfile(LaunchTemplateIamInstanceProfileSpecificationRequest.builder()
                    .arn(arn ? profile : null)
                    .name(arn ? null : profile)
                    .build());
        }
        if (call.capacity().use() != null) {
            data.capacityReservationSpecification(LaunchTemplateCapacityReservationSpecificationRequest.builder()
                    .capacityReservationPreference(call.capacity().use())
                    .build());
        }
        return data.build();
    }

    private static LaunchTemplateBlockDeviceMappingRequest disk(AwsLaunchCall call) {
        AwsMachine.Disk wanted = call.extras().disk();
        LaunchTemplateEbsBlockDeviceRequest.Builder disk = LaunchTemplateEbsBlockDeviceRequest.builder()
                .volumeSize(call.diskGib())
                .volumeType(wanted.type())
                .encrypted(true)
                .deleteOnTermination(true);
        if (wanted.iops() > 0) {
            disk.iops(wanted.iops());
        }
        if (wanted.throughputMib() > 0) {
            disk.throughput(wanted.throughputMib());
        }
        if (!wanted.key().isEmpty()) {
            disk.kmsKeyId(wanted.key());
        }
        return LaunchTemplateBlockDeviceMappingRequest.builder()
                .deviceName(call.rootDevice())
                .ebs(disk.build())
                .build();
    }

    private static List<LaunchTemplateTagSpecificationRequest> tags(AwsLaunchCall call) {
        List<ResourceType> kinds =
                new ArrayList<>(List.of(ResourceType.INSTANCE, ResourceType.VOLUME, ResourceType.NETWORK_INTERFACE));
        if (call.market() == Market.SPOT) {
            kinds.add(ResourceType.SPOT_INSTANCES_REQUEST);
        }
        return kinds.stream()
                .map(kind -> LaunchTemplateTagSpecificationRequest.builder()
                        .resourceType(kind)
                        .tags(AwsTags.list(call.tags()))
                        .build())
                .toList();
    }
}
