package org.spillway.cloud.aws;

import java.util.ArrayList;
import java.util.List;
import software.amazon.awssdk.services.ec2.model.DescribeLaunchTemplateVersionsRequest;
import software.amazon.awssdk.services.ec2.model.LaunchTemplateSpecification;
import software.amazon.awssdk.services.ec2.model.LaunchTemplateVersion;
import software.amazon.awssdk.services.ec2.model.ResponseLaunchTemplateData;
import software.amazon.awssdk.services.ec2.model.Tenancy;

/**
 * A launch template of the site's own, by id or name and a version's number. What a launch says itself stands above it (EC2
 * user guide, "Override launch template parameters"); the rest is the template's. So a version is looked at before it is
 * used: one that would buy, reserve or attach something which the head knows nothing of is not taken. "You can't modify a
 * version after you create it" (the same guide): one look at a version is good for ever.
 */
final class AwsOwnTemplate {
    /** CreateLaunchTemplate, parameter LaunchTemplateName; a version by its number, as {@code $Latest} may be another tomorrow. */
    static final String PATTERN = "(lt-[0-9a-f]{8,17}|[A-Za-z0-9()./_-]{3,128}):[1-9][0-9]{0,8}";

    private final AwsClients clients;
    private final String option;
    private volatile List<String> objections = List.of();
    private volatile boolean seen;

    /** @param option as {@link #PATTERN} has it; empty for none */
    AwsOwnTemplate(AwsClients clients, String option) {
        this.clients = clients;
        this.option = option;
    }

    private static String name(String option) {
        return option.substring(0, option.lastIndexOf(':'));
    }

    private static String version(String option) {
        return option.substring(option.lastIndexOf(':') + 1);
    }

    private static boolean isId(String name) {
        return name.startsWith("lt-");
    }

    static LaunchTemplateSpecification specification(String option) {
        String name = name(option);
        return LaunchTemplateSpecification.builder()
                .launchTemplateId(isId(name) ? name : null)
                .launchTemplateName(isId(name) ? null : name)
                .version(version(option))
                .build();
    }

    /**
     * Why no machine is made by it; none when all is well, or there is none.
     *
     * @throws software.amazon.awssdk.core.exception.SdkException if it cannot be looked at, or is not there
     */
    List<String> objections() {
        if (!seen && !option.isEmpty()) {
            String name = name(option);
            List<LaunchTemplateVersion> versions = clients.ec2()
                    .describeLaunchTemplateVersions(DescribeLaunchTemplateVersionsRequest.builder()
                            .launchTemplateId(isId(name) ? name : null)
                            .launchTemplateName(isId(name) ? null : name)
                            .versions(version(option))
                            .build())
                    .launchTemplateVersions();
            if (versions.isEmpty()) {
                return List.of("EC2 names no version " + version(option) + " of it");
            }
            objections = objections(versions.getFirst().launchTemplateData());
            seen = true;
        }
        return objections;
    }

    /** Pure. */
    static List<String> objections(ResponseLaunchTemplateData data) {
        List<String> all = new ArrayList<>();
        object(all, data.instanceMarketOptions() != null, "a market: queues and jobs say how machines are bought");
        object(
                all,
                data.capacityReservationSpecification() != null,
                "a capacity reservation: the option reservations names them");
        object(all, data.instanceRequirements() != null, "instance requirements: each launch names its type");
        object(
                all,
                Boolean.TRUE.equals(data.disableApiTermination()) || Boolean.TRUE.equals(data.disableApiStop()),
                "protection against being ended or stopped: nobody could end its machines");
        object(
                all,
                data.hibernationOptions() != null
                        && Boolean.TRUE.equals(data.hibernationOptions().configured()),
                "hibernation: a machine that is shut down ends");
        object(
                all,
                data.placement() != null
                        && ((data.placement().tenancy() != null
                                        && data.placement().tenancy() != Tenancy.DEFAULT)
                                || data.placement().hostId() != null
                                || data.placement().hostResourceGroupArn() != null
                                || data.placement().groupName() != null
                                || data.placement().groupId() != null),
                "a placement: gangs have groups of their own, and no price of a dedicated host is known");
        object(all, data.cpuOptions() != null, "CPU options: the option smt says how many CPUs a type has");
        object(
                all,
                data.hasNetworkInterfaces() || data.hasSecurityGroupIds() || data.hasSecurityGroups(),
                "network interfaces or security groups: the options subnets and securityGroup name them");
        object(
                all,
                data.hasBlockDeviceMappings(),
                "disks: the options diskGiB, diskType and kmsKey say what machines have");
        object(
                all,
                data.hasElasticGpuSpecifications() || data.hasElasticInferenceAccelerators(),
                "accelerators that are paid besides the machine");
        object(all, data.userData() != null, "user data: a node's own stands in its place");
        return all;
    }

    private static void object(List<String> all, boolean there, String what) {
        if (there) {
            all.add("it has " + what);
        }
    }
}
