package org.spillway.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.spillway.cloud.ErrorTable;
import org.spillway.policy.LaunchOutcome.Reason;

final class ArmErrorsTest {
    @ParameterizedTest
    @CsvSource({
        "AllocationFailed, CAPACITY",
        "ZonalAllocationFailed, CAPACITY",
        "OverconstrainedAllocationRequest, CAPACITY",
        "OverconstrainedZonalAllocationRequest, CAPACITY",
        "SkuNotAvailable, CAPACITY",
        "SpotCapacityNotAvailable, CAPACITY",
        "CapacityReservationGroupCapacityExceeded, CAPACITY",
        "OverconstrainedCapacityReservationAllocationRequest, CAPACITY",
        "QuotaExceeded, QUOTA",
        "ResourceQuotaExceeded, QUOTA",
        "SpotQuotaExceeded, QUOTA",
        "PublicIPCountLimitReached, QUOTA",
        "SubnetIsFull, QUOTA",
        "ScopeLocked, CREDENTIALS",
        "MissingSubscriptionRegistration, CREDENTIALS",
        "SubscriptionNotRegistered, CREDENTIALS",
        "DisallowedProvider, CREDENTIALS",
        "DisallowedOperation, CREDENTIALS",
        "ReadOnlyDisabledSubscription, CREDENTIALS",
        "OSProvisioningTimedOut, THROTTLED",
        "OSProvisioningClientError, THROTTLED",
        "OSProvisioningInternalError, THROTTLED",
        "VMStartTimedOut, THROTTLED",
        "AnotherOperationInProgress, THROTTLED",
        "RetryableError, THROTTLED",
        "AuthorizationFailed, CREDENTIALS",
        "LinkedAuthorizationFailed, CREDENTIALS",
        "AuthenticationFailed, CREDENTIALS",
        "InvalidAuthenticationToken, CREDENTIALS",
        "InvalidAuthenticationTokenTenant, CREDENTIALS",
        "ExpiredAuthenticationToken, CREDENTIALS",
        "TooManyRequests, THROTTLED",
        "SubscriptionRequestsThrottled, THROTTLED",
        "ResourceGroupRequestsThrottled, THROTTLED",
        "InternalExecutionError, THROTTLED",
        "InternalOperationError, THROTTLED",
        "InternalServerError, THROTTLED",
        "NetworkingInternalOperationError, THROTTLED",
        "OperationPreempted, THROTTLED",
        "OperationNotAllowed, INVALID",
        "InvalidParameter, INVALID",
        "InvalidRequestContent, INVALID",
        "InvalidResourceReference, INVALID",
        "BadRequest, INVALID",
        "ImageNotFound, INVALID",
        "PlatformImageNotFound, INVALID",
        "MarketplacePurchaseEligibilityFailed, INVALID",
        "RequestDisallowedByPolicy, INVALID",
        "PropertyChangeNotAllowed, INVALID",
        "ResourceNotFound, INVALID",
        "ResourceGroupNotFound, INVALID",
        "SubscriptionNotFound, INVALID",
        "NotFound, INVALID",
    })
    void codeHasItsReason(String code, Reason reason) {
        assertThat(ArmErrors.reason(code, "")).contains(reason);
        assertThat(ArmErrors.answer(400, code, "")).isInstanceOfSatisfying(Answer.Refused.class, no -> {
            assertThat(no.reason()).isEqualTo(reason);
            assertThat(no.message()).contains(code);
        });
    }

    static List<ErrorTable.Row> rows() {
        return ErrorTable.beside(ArmErrors.class, "error-codes.txt").rows();
    }

    /** Each row is what the driver makes of it. */
    @ParameterizedTest
    @MethodSource("rows")
    void everyRowIsClassifiedSo(ErrorTable.Row row) {
        String words = row.words().isEmpty() ? "said" : row.words().getFirst();
        assertThat(ArmErrors.answer(400, row.code(), words))
                .isInstanceOfSatisfying(
                        Answer.Refused.class,
                        no -> assertThat(no.reason())
                                .isEqualTo(row.meaning().reason().orElseThrow()));
    }

    @Test
    void oneCodeIsToldApartByItsSentence() {
        assertThat(ArmErrors.reason("OperationNotAllowed", "exceeding approved standardNDSH100v5Family Cores quota"))
                .contains(Reason.QUOTA);
        assertThat(ArmErrors.reason("OperationNotAllowed", "Allocation of a Spot machine in an availability set"))
                .contains(Reason.INVALID);
    }

    @ParameterizedTest
    @CsvSource({"401, CREDENTIALS", "403, CREDENTIALS", "404, INVALID", "405, INVALID", "412, INVALID", "429, THROTTLED"
    })
    void statusOfAnUnknownCodeHasItsReason(int status, Reason reason) {
        assertThat(ArmErrors.answer(status, "Whatever", "so"))
                .isInstanceOfSatisfying(
                        Answer.Refused.class, no -> assertThat(no.reason()).isEqualTo(reason));
    }

    /** Something may exist after these. */
    @ParameterizedTest
    @CsvSource({"400", "408", "409", "500", "502", "503", "504", "302"})
    void theRestIsUnclear(int status) {
        assertThat(ArmErrors.answer(status, "Whatever", "so")).isInstanceOf(Answer.Unclear.class);
    }

    /** Any server says 404; only a resource manager says it of a resource. */
    @ParameterizedTest
    @CsvSource({
        "404, ResourceNotFound, true", "404, ResourceGroupNotFound, true", "404, NotFound, true",
        "404, SubscriptionNotFound, false", "404, InvalidResourceType, false", "404, '', false",
        "400, NotFound, false"
    })
    void goneIsSaidAndNotGuessed(int status, String code, boolean gone) {
        assertThat(ArmErrors.answer(status, code, ""))
                .isInstanceOfSatisfying(
                        Answer.Refused.class, no -> assertThat(no.isGone()).isEqualTo(gone));
    }
}
