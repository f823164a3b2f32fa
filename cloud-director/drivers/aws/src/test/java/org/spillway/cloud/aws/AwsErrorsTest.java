package org.spillway.cloud.aws;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.spillway.cloud.ErrorTable;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.ec2.model.Ec2Exception;

final class AwsErrorsTest {
    private static SdkException answered(int status, String code) {
        return (SdkException) Ec2Exception.builder()
                .statusCode(status)
                .awsErrorDetails(AwsErrorDetails.builder()
                        .errorCode(code)
                        .errorMessage("said")
                        .build())
                .build();
    }

    @ParameterizedTest
    @CsvSource({
        "500, InsufficientInstanceCapacity,        CAPACITY",
        "500, InsufficientCapacity,                CAPACITY",
        "500, InsufficientHostCapacity,            CAPACITY",
        "500, InsufficientReservedInstanceCapacity, CAPACITY",
        "400, InsufficientCapacityOnHost,          CAPACITY",
        "500, InsufficientVolumeCapacity,          CAPACITY",
        "400, ReservationCapacityExceeded,         CAPACITY",
        "400, SpotMaxPriceTooLow,                  CAPACITY",
        "400, UnfulfillableCapacity,               CAPACITY",
        "400, VcpuLimitExceeded,                   QUOTA",
        "400, InstanceLimitExceeded,               QUOTA",
        "400, MaxSpotInstanceCountExceeded,        QUOTA",
        "400, MaxSpotFleetRequestCountExceeded,    QUOTA",
        "400, VolumeLimitExceeded,                 QUOTA",
        "400, MaxIOPSLimitExceeded,                QUOTA",
        "400, NetworkInterfaceLimitExceeded,       QUOTA",
        "400, PrivateIpAddressLimitExceeded,       QUOTA",
        "400, InsufficientFreeAddressesInSubnet,   QUOTA",
        "400, AddressLimitExceeded,                QUOTA",
        "400, VpcLimitExceeded,                    QUOTA",
        "400, SubnetLimitExceeded,                 QUOTA",
        "400, RouteTableLimitExceeded,             QUOTA",
        "400, InternetGatewayLimitExceeded,        QUOTA",
        "400, NatGatewayLimitExceeded,             QUOTA",
        "400, SecurityGroupLimitExceeded,          QUOTA",
        "400, RulesPerSecurityGroupLimitExceeded,  QUOTA",
        "400, PlacementGroupLimitExceeded,         QUOTA",
        "400, LaunchTemplateLimitExceeded,         QUOTA",
        "400, ResourceLimitExceeded,               QUOTA",
        "400, PendingVerification,                 QUOTA",
        "401, AuthFailure,                         CREDENTIALS",
        "403, UnauthorizedOperation,               CREDENTIALS",
        "403, AccessDenied,                        CREDENTIALS",
        "400, AccessDeniedException,               CREDENTIALS",
        "403, InvalidClientTokenId,                CREDENTIALS",
        "400, UnrecognizedClientException,         CREDENTIALS",
        "403, SignatureDoesNotMatch,               CREDENTIALS",
        "400, IncompleteSignature,                 CREDENTIALS",
        "403, MissingAuthenticationToken,          CREDENTIALS",
        "403, MissingAuthenticationTokenException, CREDENTIALS",
        "400, RequestExpired,                      CREDENTIALS",
        "400, ExpiredToken,                        CREDENTIALS",
        "400, ExpiredTokenException,               CREDENTIALS",
        "401, OptInRequired,                       CREDENTIALS",
        "403, Blocked,                             CREDENTIALS",
        "503, RequestLimitExceeded,                THROTTLED",
        "400, Throttling,                          THROTTLED",
        "400, ThrottlingException,                 THROTTLED",
        "400, ThrottledException,                  THROTTLED",
        "400, RequestThrottled,                    THROTTLED",
        "400, RequestThrottledException,           THROTTLED",
        "400, EC2ThrottledException,               THROTTLED",
        "400, TooManyRequestsException,            THROTTLED",
        "400, ConcurrentTagAccess,                 THROTTLED",
        "400, InvalidParameterValue,               INVALID",
        "400, InvalidParameterCombination,         INVALID",
        "400, InvalidAMIID.NotFound,               INVALID",
        "400, InvalidSubnetID.NotFound,            INVALID",
        "400, InvalidGroup.NotFound,               INVALID",
        "400, InvalidKeyPair.NotFound,             INVALID",
        "400, InvalidPlacementGroup.Unknown,       INVALID",
        "400, InvalidCapacityReservationId.NotFound, INVALID",
        "400, MissingParameter,                    INVALID",
        "400, Unsupported,                         INVALID",
        "400, UnsupportedOperation,                INVALID",
    })
    void refusals(int status, String code, Reason reason) {
        assertThat(AwsErrors.ofLaunch(answered(status, code)))
                .isEqualTo(new LaunchOutcome.Refused(reason, code + ": said"));
    }

    @ParameterizedTest
    @CsvSource({
        "500, InternalError",
        "500, InternalFailure",
        "503, ServiceUnavailable",
        "503, Unavailable",
        "503, InternalError",
        "500, ServerInternal",
        "400, RequestTimeout",
        "400, RequestTimeoutException",
        "400, IdempotentParameterMismatch",
        "400, IdempotentInstanceTerminated",
        "502, SomethingNew",
    })
    void whatLeavesRoomForAnInstanceIsUnknown(int status, String code) {
        assertThat(AwsErrors.ofLaunch(answered(status, code))).isInstanceOf(LaunchOutcome.Unknown.class);
    }

    @Test
    void anAnswerWithoutACodeIsUnknownButFor401() {
        SdkException proxy =
                (SdkException) Ec2Exception.builder().statusCode(403).build();
        assertThat(AwsErrors.ofLaunch(proxy)).isInstanceOf(LaunchOutcome.Unknown.class);
        SdkException unread =
                (SdkException) Ec2Exception.builder().statusCode(401).build();
        assertThat(AwsErrors.ofLaunch(unread))
                .isInstanceOfSatisfying(
                        LaunchOutcome.Refused.class,
                        refused -> assertThat(refused.reason()).isEqualTo(Reason.CREDENTIALS));
    }

    @Test
    void onlyWhatWasNotSentIsRefusedWithoutAnAnswer() {
        assertThat(AwsErrors.ofLaunch(SdkClientException.create("x", new ConnectException("refused"))))
                .isInstanceOfSatisfying(
                        LaunchOutcome.Refused.class,
                        refused -> assertThat(refused.reason()).isEqualTo(Reason.THROTTLED));
        assertThat(AwsErrors.ofLaunch(SdkClientException.create("x", new SocketTimeoutException("Connect timed out"))))
                .isInstanceOf(LaunchOutcome.Refused.class);
        assertThat(AwsErrors.ofLaunch(SdkClientException.create("x", new SocketTimeoutException("Read timed out"))))
                .isInstanceOf(LaunchOutcome.Unknown.class);
        assertThat(AwsErrors.ofLaunch(SdkClientException.create("x", new IOException("reset"))))
                .isInstanceOf(LaunchOutcome.Unknown.class);
        assertThat(AwsErrors.ofLaunch(ApiCallTimeoutException.create(1000))).isInstanceOf(LaunchOutcome.Unknown.class);
    }

    static List<ErrorTable.Row> rows() {
        return ErrorTable.beside(AwsErrors.class, "error-codes.txt").rows();
    }

    /** Each row is what the driver makes of it; a star stands for any text. */
    @ParameterizedTest
    @MethodSource("rows")
    void everyRowIsClassifiedSo(ErrorTable.Row row) {
        String code = row.code().replace("*", "Xyz");
        String said = row.words().stream().findFirst().orElse("said");
        LaunchOutcome outcome = AwsErrors.ofCode(code, 400, said);
        if (row.meaning() == ErrorTable.Meaning.UNKNOWN) {
            assertThat(outcome).isInstanceOf(LaunchOutcome.Unknown.class);
        } else {
            assertThat(outcome)
                    .isEqualTo(new LaunchOutcome.Refused(row.meaning().reason().orElseThrow(), code + ": " + said));
        }
    }

    /** A code that nobody has published was taken as a refusal, after which something may have been paid for twice. */
    @Test
    void anUnpublishedCodeIsUnknown() {
        assertThat(AwsErrors.ofLaunch(answered(400, "SomethingNew"))).isInstanceOf(LaunchOutcome.Unknown.class);
        assertThat(AwsErrors.ofLaunch(answered(500, "InvalidSomething"))).isInstanceOf(LaunchOutcome.Unknown.class);
    }

    @Test
    void messagesAreShortAndPrintable() {
        String hostile = "a\u001b[31m\nb" + "x".repeat(5000);
        assertThat(AwsErrors.printable(hostile)).hasSizeLessThan(600).doesNotContain("\u001b", "\n");
    }
}
