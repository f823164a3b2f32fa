package org.spillway.cloud.aws;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.Market;
import software.amazon.awssdk.services.ec2.model.BlockDeviceMapping;
import software.amazon.awssdk.services.ec2.model.CapacityReservationPreference;
import software.amazon.awssdk.services.ec2.model.CapacityReservationSpecification;
import software.amazon.awssdk.services.ec2.model.CapacityReservationTarget;
import software.amazon.awssdk.services.ec2.model.CpuOptionsRequest;
import software.amazon.awssdk.services.ec2.model.EbsBlockDevice;
import software.amazon.awssdk.services.ec2.model.HttpTokensState;
import software.amazon.awssdk.services.ec2.model.IamInstanceProfileSpecification;
import software.amazon.awssdk.services.ec2.model.InstanceInterruptionBehavior;
import software.amazon.awssdk.services.ec2.model.InstanceMarketOptionsRequest;
import software.amazon.awssdk.services.ec2.model.InstanceMetadataEndpointState;
import software.amazon.awssdk.services.ec2.model.InstanceMetadataOptionsRequest;
import software.amazon.awssdk.services.ec2.model.InstanceNetworkInterfaceSpecification;
import software.amazon.awssdk.services.ec2.model.MarketType;
import software.amazon.awssdk.services.ec2.model.Placement;
import software.amazon.awssdk.services.ec2.model.ResourceType;
import software.amazon.awssdk.services.ec2.model.RunInstancesRequest;
import software.amazon.awssdk.services.ec2.model.ShutdownBehavior;
import software.amazon.awssdk.services.ec2.model.SpotInstanceType;
import software.amazon.awssdk.services.ec2.model.SpotMarketOptions;
import software.amazon.awssdk.services.ec2.model.TagSpecification;

/**
 * A RunInstances call, made of nothing but its parts: the same parts give the same call, which its client token needs.
 *
 * @param token 64 characters at most
 * @param placementGroup EC2's name of it; empty for none
 * @param capacity what is reserved and may be used
 * @param efaInterfaces how many; 0 for an ordinary interface
 * @param extras what the site asks of each machine
 */
record AwsLaunchCall(
        String token,
        String type,
        Market market,
        int count,
        String image,
        String rootDevice,
        int diskGib,
        String keyName,
        String userData,
        Map<String, String> tags,
        AwsPlaces.Place place,
        String placementGroup,
        Capacity capacity,
        int efaInterfaces,
        Extras extras) {
    AwsLaunchCall {
        tags = Map.copyOf(tags);
    }

    /**
     * Parts that a site's options decide.
     *
     * @param profile instance profile, by name or ARN; empty for none
     * @param cores so many with one thread each; 0 for the type's own
     * @param template launch template of the site's own, beneath all else; empty for none
     */
    record Extras(String profile, AwsMachine.Disk disk, int cores, String template) {
        static final Extras NONE = new Extras("", AwsMachine.Disk.USUAL, 0, "");
    }

    /**
     * Reserved capacity, as far as the call may use it.
     *
     * @param use of what is open to everybody: null for EC2's own way, which is to use it while there is some
     * @param reservation id of the only one that is used; empty for none
     * @param block whether that is a capacity block
     */
    record Capacity(@Nullable CapacityReservationPreference use, String reservation, boolean block) {
        static final Capacity ANY = new Capacity(null, "", false);
        static final Capacity NONE = new Capacity(CapacityReservationPreference.NONE, "", false);
        static final Capacity OPEN = new Capacity(CapacityReservationPreference.CAPACITY_RESERVATIONS_ONLY, "", false);

        static Capacity of(String reservation, boolean block) {
            return new Capacity(null, reservation, block);
        }

        Optional<CapacityReservationSpecification> specification() {
            if (!reservation.isEmpty()) {
                return Optional.of(CapacityReservationSpecification.builder()
                        .capacityReservationTarget(CapacityReservationTarget.builder()
                                .capacityReservationId(reservation)
                                .build())
                        .build());
            }
            return Optional.ofNullable(use)
                    .map(preference -> CapacityReservationSpecification.builder()
                            .capacityReservationPreference(preference)
                            .build());
        }
    }

    RunInstancesRequest request() {
        RunInstancesRequest.Builder request = RunInstancesRequest.builder()
                .clientToken(token)
                .instanceType(type)
                .minCount(1)
                .maxCount(count)
                .imageId(image)
                .userData(base64(userData))
                .blockDeviceMappings(disk())
                .networkInterfaces(interfaces())
                .metadataOptions(metadata())
                .instanceInitiatedShutdownBehavior(ShutdownBehavior.TERMINATE)
                .tagSpecifications(tagSpecifications());
        if (!keyName.isEmpty()) {
            request.keyName(keyName);
        }
        if (!placementGroup.isEmpty()) {
            request.placement(Placement.builder().groupName(placementGroup).build());
        }
        if (!extras.profile().isEmpty()) {
            boolean arn = extras.profile().startsWith("arn:");
            request.iamInstanceProfile(IamInstanceProfileSpecification.builder()
                    .arn(arn ? extras.profile() : null)
                    .name(arn ? null : extras.profile())
                    .build());
        }
        if (extras.cores() > 0) {
            request.cpuOptions(CpuOptionsRequest.builder()
                    .coreCount(extras.cores())
                    .threadsPerCore(1)
                    .build());
        }
        if (!extras.template().isEmpty()) {
            request.launchTemplate(AwsOwnTemplate.specification(extras.template()));
        }
        InstanceMarketOptionsRequest options = marketOptions();
        if (options != null) {
            request.instanceMarketOptions(options);
        }
        capacity.specification().ifPresent(request::capacityReservationSpecification);
        return request.build();
    }

    static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private BlockDeviceMapping disk() {
        EbsBlockDevice.Builder disk = EbsBlockDevice.builder()
                .volumeSize(diskGib)
                .volumeType(extras.disk().type())
                .encrypted(true)
                .deleteOnTermination(true);
        if (extras.disk().iops() > 0) {
            disk.iops(extras.disk().iops());
        }
        if (extras.disk().throughputMib() > 0) {
            disk.throughput(extras.disk().throughputMib());
        }
        if (!extras.disk().key().isEmpty()) {
            disk.kmsKeyId(extras.disk().key());
        }
        return BlockDeviceMapping.builder()
                .deviceName(rootDevice)
                .ebs(disk.build())
                .build();
    }

    /** The first of card 0, then one on each further card, as EC2 wants them for EFA. */
    private List<InstanceNetworkInterfaceSpecification> interfaces() {
        List<InstanceNetworkInterfaceSpecification> all = new ArrayList<>();
        for (int card = 0; card < Math.max(1, efaInterfaces); card++) {
            InstanceNetworkInterfaceSpecification.Builder one = InstanceNetworkInterfaceSpecification.builder()
                    .networkCardIndex(card)
                    .deviceIndex(card == 0 ? 0 : 1)
                    .subnetId(place.subnet())
                    .groups(place.groups())
                    .deleteOnTermination(true);
            if (efaInterfaces > 0) {
                one.interfaceType("efa");
            }
            // With several interfaces EC2 gives no public address and refuses to be told so.
            if (efaInterfaces <= 1) {
                one.associatePublicIpAddress(place.publicAddress());
            }
            all.add(one.build());
        }
        return all;
    }

    private static InstanceMetadataOptionsRequest metadata() {
        return InstanceMetadataOptionsRequest.builder()
                .httpEndpoint(InstanceMetadataEndpointState.ENABLED)
                .httpTokens(HttpTokensState.REQUIRED)
                .httpPutResponseHopLimit(1)
                .build();
    }

    private List<TagSpecification> tagSpecifications() {
        List<TagSpecification> all = new ArrayList<>();
        all.add(AwsTags.specification(ResourceType.INSTANCE, tags));
        all.add(AwsTags.specification(ResourceType.VOLUME, tags));
        all.add(AwsTags.specification(ResourceType.NETWORK_INTERFACE, tags));
        if (market == Market.SPOT) {
            all.add(AwsTags.specification(ResourceType.SPOT_INSTANCES_REQUEST, tags));
        }
        return all;
    }

    private @Nullable InstanceMarketOptionsRequest marketOptions() {
        if (market == Market.SPOT) {
            return InstanceMarketOptionsRequest.builder()
                    .marketType(MarketType.SPOT)
                    .spotOptions(SpotMarketOptions.builder()
                            .spotInstanceType(SpotInstanceType.ONE_TIME)
                            .instanceInterruptionBehavior(InstanceInterruptionBehavior.TERMINATE)
                            .build())
                    .build();
        }
        return capacity.block()
                ? InstanceMarketOptionsRequest.builder()
                        .marketType(MarketType.CAPACITY_BLOCK)
                        .build()
                : null;
    }
}
