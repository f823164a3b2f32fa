package org.spillway.cloud.aws;

import java.time.Duration;
import java.util.List;
import org.spillway.cloud.CloudException;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.ec2.Ec2Client;
import software.amazon.awssdk.services.ec2.model.DeleteInternetGatewayRequest;
import software.amazon.awssdk.services.ec2.model.DeleteKeyPairRequest;
import software.amazon.awssdk.services.ec2.model.DeleteNatGatewayRequest;
import software.amazon.awssdk.services.ec2.model.DeleteRouteTableRequest;
import software.amazon.awssdk.services.ec2.model.DeleteSecurityGroupRequest;
import software.amazon.awssdk.services.ec2.model.DeleteSubnetRequest;
import software.amazon.awssdk.services.ec2.model.DeleteVpcEndpointsRequest;
import software.amazon.awssdk.services.ec2.model.DeleteVpcRequest;
import software.amazon.awssdk.services.ec2.model.DescribeInternetGatewaysRequest;
import software.amazon.awssdk.services.ec2.model.DescribeNatGatewaysRequest;
import software.amazon.awssdk.services.ec2.model.DescribeRouteTablesRequest;
import software.amazon.awssdk.services.ec2.model.DescribeVpcEndpointsRequest;
import software.amazon.awssdk.services.ec2.model.DetachInternetGatewayRequest;
import software.amazon.awssdk.services.ec2.model.DisassociateRouteTableRequest;
import software.amazon.awssdk.services.ec2.model.Ec2Exception;
import software.amazon.awssdk.services.ec2.model.InternetGateway;
import software.amazon.awssdk.services.ec2.model.InternetGatewayAttachment;
import software.amazon.awssdk.services.ec2.model.NatGatewayState;
import software.amazon.awssdk.services.ec2.model.ReleaseAddressRequest;
import software.amazon.awssdk.services.ec2.model.RouteTable;
import software.amazon.awssdk.services.ec2.model.RouteTableAssociation;
import software.amazon.awssdk.services.ec2.model.State;
import software.amazon.awssdk.services.ec2.model.UnsuccessfulItem;
import software.amazon.awssdk.services.ec2.model.UnsuccessfulItemError;

/** Removes the parts of a network, what depends on others first. Gone is success. */
final class AwsNetworkRemover {
    private static final Duration TIME = Duration.ofMinutes(10);
    private static final Duration POLL = Duration.ofSeconds(3);
    private final Ec2Client ec2;

    AwsNetworkRemover(Ec2Client ec2) {
        this.ec2 = ec2;
    }

    void remove(AwsNetworkParts parts) throws CloudException {
        for (var each : parts.gateways()) {
            gateway(each.natGatewayId());
        }
        for (var each : parts.gateways()) {
            String id = each.natGatewayId();
            AwsWait.until(TIME, POLL, "NAT gateway " + id + " is not gone", () -> gatewayIsGone(id));
        }
        for (var each : parts.addresses()) {
            address(each.allocationId());
        }
        for (var each : parts.endpoints()) {
            String id = each.vpcEndpointId();
            endpoint(id);
            AwsWait.until(TIME, POLL, "endpoint " + id + " is not gone", () -> endpointIsGone(id));
        }
        for (var each : parts.tables()) {
            table(each.routeTableId());
        }
        for (var each : parts.subnets()) {
            patiently("subnet " + each.subnetId(), () -> subnet(each.subnetId()));
        }
        for (var each : parts.internet()) {
            patiently("internet gateway " + each.internetGatewayId(), () -> internet(each.internetGatewayId()));
        }
        for (var each : parts.groups()) {
            patiently("group " + each.groupId(), () -> group(each.groupId()));
        }
        for (var each : parts.networks()) {
            patiently("network " + each.vpcId(), () -> network(each.vpcId()));
        }
        for (var each : parts.keys()) {
            key(each.keyPairId());
        }
    }

    /**
     * Repeats a step while EC2 still holds its thing for a while, such as interfaces of an instance that has just
     * ended.
     */
    private static void patiently(String what, Runnable step) throws CloudException {
        AwsWait.until(TIME, POLL, what + " is still in use", () -> {
            try {
                step.run();
                return true;
            } catch (SdkException failed) {
                if (AwsErrors.code(failed).equals("DependencyViolation")) {
                    return false;
                }
                throw failed;
            }
        });
    }

    private static void unlessGone(Runnable step) {
        try {
            step.run();
        } catch (SdkException failed) {
            if (!AwsErrors.isGone(failed)) {
                throw failed;
            }
        }
    }

    void gateway(String id) {
        unlessGone(() -> ec2.deleteNatGateway(
                DeleteNatGatewayRequest.builder().natGatewayId(id).build()));
    }

    private boolean gatewayIsGone(String id) {
        try {
            return ec2
                    .describeNatGateways(DescribeNatGatewaysRequest.builder()
                            .natGatewayIds(id)
                            .build())
                    .natGateways()
                    .stream()
                    .allMatch(each -> each.state() == NatGatewayState.DELETED);
        } catch (SdkException failed) {
            if (AwsErrors.isGone(failed)) {
                return true;
            }
            throw failed;
        }
    }

    /** Refusals stand in the answer of this call, one for each endpoint. */
    void endpoint(String id) {
        unlessGone(() -> {
            List<UnsuccessfulItem> refused = ec2.deleteVpcEndpoints(DeleteVpcEndpointsRequest.builder()
                            .vpcEndpointIds(id)
                            .build())
                    .unsuccessful();
            if (!refused.isEmpty() && refused.getFirst().error() != null) {
                UnsuccessfulItemError why = refused.getFirst().error();
                throw Ec2Exception.builder()
                        .statusCode(400)
                        .awsErrorDetails(AwsErrorDetails.builder()
                                .errorCode(why.code())
                                .errorMessage(why.message())
                                .build())
                        .build();
            }
        });
    }

    private boolean endpointIsGone(String id) {
        try {
            return ec2
                    .describeVpcEndpoints(DescribeVpcEndpointsRequest.builder()
                            .vpcEndpointIds(id)
                            .build())
                    .vpcEndpoints()
                    .stream()
                    .allMatch(each -> each.state() == State.DELETED);
        } catch (SdkException failed) {
            if (AwsErrors.isGone(failed)) {
                return true;
            }
            throw failed;
        }
    }

    void address(String id) {
        unlessGone(() -> ec2.releaseAddress(
                ReleaseAddressRequest.builder().allocationId(id).build()));
    }

    void table(String id) {
        unlessGone(() -> {
            List<RouteTable> found = ec2.describeRouteTables(DescribeRouteTablesRequest.builder()
                            .routeTableIds(id)
                            .build())
                    .routeTables();
            for (RouteTable each : found) {
                for (RouteTableAssociation association : each.associations()) {
                    unlessGone(() -> ec2.disassociateRouteTable(DisassociateRouteTableRequest.builder()
                            .associationId(association.routeTableAssociationId())
                            .build()));
                }
            }
            ec2.deleteRouteTable(
                    DeleteRouteTableRequest.builder().routeTableId(id).build());
        });
    }

    void subnet(String id) {
        unlessGone(() ->
                ec2.deleteSubnet(DeleteSubnetRequest.builder().subnetId(id).build()));
    }

    void internet(String id) {
        unlessGone(() -> {
            for (InternetGateway each : ec2.describeInternetGateways(DescribeInternetGatewaysRequest.builder()
                            .internetGatewayIds(id)
                            .build())
                    .internetGateways()) {
                for (InternetGatewayAttachment attachment : each.attachments()) {
                    unlessGone(() -> ec2.detachInternetGateway(DetachInternetGatewayRequest.builder()
                            .internetGatewayId(id)
                            .vpcId(attachment.vpcId())
                            .build()));
                }
            }
            ec2.deleteInternetGateway(
                    DeleteInternetGatewayRequest.builder().internetGatewayId(id).build());
        });
    }

    void group(String id) {
        unlessGone(() -> ec2.deleteSecurityGroup(
                DeleteSecurityGroupRequest.builder().groupId(id).build()));
    }

    void network(String id) {
        unlessGone(() -> ec2.deleteVpc(DeleteVpcRequest.builder().vpcId(id).build()));
    }

    void key(String id) {
        unlessGone(() ->
                ec2.deleteKeyPair(DeleteKeyPairRequest.builder().keyPairId(id).build()));
    }
}
