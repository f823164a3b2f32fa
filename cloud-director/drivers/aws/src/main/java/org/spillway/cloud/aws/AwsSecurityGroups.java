package org.spillway.cloud.aws;

import java.util.List;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.ec2.Ec2Client;
import software.amazon.awssdk.services.ec2.model.AuthorizeSecurityGroupEgressRequest;
import software.amazon.awssdk.services.ec2.model.AuthorizeSecurityGroupIngressRequest;
import software.amazon.awssdk.services.ec2.model.CreateSecurityGroupRequest;
import software.amazon.awssdk.services.ec2.model.IpPermission;
import software.amazon.awssdk.services.ec2.model.IpRange;
import software.amazon.awssdk.services.ec2.model.ResourceType;
import software.amazon.awssdk.services.ec2.model.RevokeSecurityGroupIngressRequest;
import software.amazon.awssdk.services.ec2.model.SecurityGroup;
import software.amazon.awssdk.services.ec2.model.UserIdGroupPair;

/** Groups of a network, made unless they are there; each step may be done again after a crash. */
final class AwsSecurityGroups {
    private static final String DUPLICATE = "InvalidPermission.Duplicate";
    private final Ec2Client ec2;
    private final AwsTags tags;

    AwsSecurityGroups(Ec2Client ec2, AwsTags tags) {
        this.ec2 = ec2;
        this.tags = tags;
    }

    /** A group whose members may speak with each other and, for EFA, it says so of both directions. */
    void peers(AwsNetworkParts parts, String vpc, String name, String description) {
        String peers = group(parts, vpc, AwsPlaces.PEERS, name, description);
        IpPermission each = IpPermission.builder()
                .ipProtocol("-1")
                .userIdGroupPairs(UserIdGroupPair.builder().groupId(peers).build())
                .build();
        unless(
                DUPLICATE,
                () -> ec2.authorizeSecurityGroupIngress(AuthorizeSecurityGroupIngressRequest.builder()
                        .groupId(peers)
                        .ipPermissions(each)
                        .build()));
        unless(
                DUPLICATE,
                () -> ec2.authorizeSecurityGroupEgress(AuthorizeSecurityGroupEgressRequest.builder()
                        .groupId(peers)
                        .ipPermissions(each)
                        .build()));
    }

    /**
     * A group whose members are reached by SSH.
     *
     * @param from an IPv4 range
     */
    void directors(AwsNetworkParts parts, String vpc, int sshPort, String from) {
        String directors = group(
                parts,
                vpc,
                AwsPlaces.DIRECTORS,
                "spillway-" + AwsPlaces.DIRECTORS,
                "Spillway: SSH from the head to directors");
        unless(
                DUPLICATE,
                () -> ec2.authorizeSecurityGroupIngress(AuthorizeSecurityGroupIngressRequest.builder()
                        .groupId(directors)
                        .ipPermissions(IpPermission.builder()
                                .ipProtocol("tcp")
                                .fromPort(sshPort)
                                .toPort(sshPort)
                                .ipRanges(IpRange.builder().cidrIp(from).build())
                                .build())
                        .build()));
        parts.group(AwsPlaces.DIRECTORS).ifPresent(group -> closeOthers(group, sshPort, from));
    }

    /** A range that is configured no more is let in no more. */
    private void closeOthers(SecurityGroup group, int sshPort, String from) {
        for (IpPermission rule : group.ipPermissions()) {
            boolean ssh =
                    "tcp".equals(rule.ipProtocol()) && Integer.valueOf(sshPort).equals(rule.fromPort());
            List<IpRange> others = rule.ipRanges().stream()
                    .filter(range -> ssh && !from.equals(range.cidrIp()))
                    .toList();
            if (!others.isEmpty()) {
                unless(
                        "InvalidPermission.NotFound",
                        () -> ec2.revokeSecurityGroupIngress(RevokeSecurityGroupIngressRequest.builder()
                                .groupId(group.groupId())
                                .ipPermissions(rule.toBuilder()
                                        .ipRanges(others)
                                        .userIdGroupPairs(List.of())
                                        .ipv6Ranges(List.of())
                                        .prefixListIds(List.of())
                                        .build())
                                .build()));
            }
        }
    }

    private String group(AwsNetworkParts parts, String vpc, String part, String name, String description) {
        return parts.group(part)
                .map(each -> each.groupId())
                .orElseGet(() -> ec2.createSecurityGroup(CreateSecurityGroupRequest.builder()
                                .vpcId(vpc)
                                .groupName(name)
                                .description(description)
                                .tagSpecifications(
                                        AwsTags.specification(ResourceType.SECURITY_GROUP, tags.ofNetwork(part)))
                                .build())
                        .groupId());
    }

    /** A step that says by this code that it is done already. */
    static void unless(String code, Runnable step) {
        try {
            step.run();
        } catch (SdkException failed) {
            if (!AwsErrors.code(failed).equals(code)) {
                throw failed;
            }
        }
    }
}
