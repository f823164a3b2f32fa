package org.spillway.cloud.aws;

import java.util.ArrayList;
import java.util.List;
import org.spillway.policy.Market;
import software.amazon.awssdk.services.ec2.model.LaunchTemplateBlockDeviceMappingRequest;
import software.amazon.awssdk.services.ec2.model.LaunchTemplateCapacityReservationSpecificationRequest;
import software.amazon.awssdk.services.ec2.model.LaunchTemplateEbsBlockDeviceRequest;
import software.amazon.awssdk.services.ec2.model.LaunchTemplateHttpTokensState;
import software.amazon.awssdk.services.ec2.model.LaunchTemplateInstanceMetadataEndpointState;
import software.amazon.awssdk.services.ec2.model.LaunchTemplateInstanceMetadataOptionsRequest;
import software.amazon.awssdk.services.ec2.model.LaunchTemplateInstanceNetworkInterfaceSpecificationRequest;
import software.amazon.awssdk.services.ec2.model.LaunchTemplateTagSpecificationRequest;
import software.amazon.awssdk.services.ec2.model.RequestLaunchTemplateData;
import software.amazon.awssdk.services.ec2.model.ResourceType;
import software.amazon.awssdk.services.ec2.model.ShutdownBehavior;
import software.amazon.awssdk.services.ec2.model.VolumeType;

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
        if (call.capacity().use() != null) {
            data.capacityReservationSpecification(LaunchTemplateCapacityReservationSpecificationRequest.builder()
                    .capacityReservationPreference(call.capacity().use())
                    .build());
        }
        return data.build();
    }

    private static LaunchTemplateBlockDeviceMappingRequest disk(AwsLaunchCall call) {
        return LaunchTemplateBlockDeviceMappingRequest.builder()
                .deviceName(call.rootDevice())
                .ebs(LaunchTemplateEbsBlockDeviceRequest.builder()
                        .volumeSize(call.diskGib())
                        .volumeType(VolumeType.GP3)
                        .encrypted(true)
                        .deleteOnTermination(true)
                        .build())
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
