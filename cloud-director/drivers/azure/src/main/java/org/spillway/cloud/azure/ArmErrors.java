package org.spillway.cloud.azure;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.spillway.policy.LaunchOutcome.Reason;

/**
 * Meanings of the resource manager's error codes. Codes as in Microsoft's "Troubleshoot common Azure deployment errors"
 * and "Troubleshoot allocation failures"; the table in {@code docs/drivers/azure.md} has a test row each.
 */
final class ArmErrors {
    private static final Map<String, Reason> CODES = Map.ofEntries(
            Map.entry("AllocationFailed", Reason.CAPACITY),
            Map.entry("ZonalAllocationFailed", Reason.CAPACITY),
            Map.entry("OverconstrainedAllocationRequest", Reason.CAPACITY),
            Map.entry("OverconstrainedZonalAllocationRequest", Reason.CAPACITY),
            Map.entry("SkuNotAvailable", Reason.CAPACITY),
            Map.entry("SpotCapacityNotAvailable", Reason.CAPACITY),
            Map.entry("CapacityReservationGroupCapacityExceeded", Reason.CAPACITY),
            Map.entry("OverconstrainedCapacityReservationAllocationRequest", Reason.CAPACITY),
            Map.entry("QuotaExceeded", Reason.QUOTA),
            Map.entry("ResourceQuotaExceeded", Reason.QUOTA),
            Map.entry("SpotQuotaExceeded", Reason.QUOTA),
            Map.entry("PublicIPCountLimitReached", Reason.QUOTA),
            Map.entry("SubnetIsFull", Reason.QUOTA),
            Map.entry("ScopeLocked", Reason.CREDENTIALS),
            Map.entry("MissingSubscriptionRegistration", Reason.CREDENTIALS),
            Map.entry("SubscriptionNotRegistered", Reason.CREDENTIALS),
            Map.entry("DisallowedProvider", Reason.CREDENTIALS),
            Map.entry("DisallowedOperation", Reason.CREDENTIALS),
            Map.entry("ReadOnlyDisabledSubscription", Reason.CREDENTIALS),
            Map.entry("AuthorizationFailed", Reason.CREDENTIALS),
            Map.entry("LinkedAuthorizationFailed", Reason.CREDENTIALS),
            Map.entry("AuthenticationFailed", Reason.CREDENTIALS),
            Map.entry("InvalidAuthenticationToken", Reason.CREDENTIALS),
            Map.entry("InvalidAuthenticationTokenTenant", Reason.CREDENTIALS),
            Map.entry("ExpiredAuthenticationToken", Reason.CREDENTIALS),
            Map.entry("TooManyRequests", Reason.THROTTLED),
            Map.entry("SubscriptionRequestsThrottled", Reason.THROTTLED),
            Map.entry("ResourceGroupRequestsThrottled", Reason.THROTTLED),
            Map.entry("InternalExecutionError", Reason.THROTTLED),
            Map.entry("InternalOperationError", Reason.THROTTLED),
            Map.entry("InternalServerError", Reason.THROTTLED),
            Map.entry("NetworkingInternalOperationError", Reason.THROTTLED),
            Map.entry("OperationPreempted", Reason.THROTTLED),
            Map.entry("OSProvisioningTimedOut", Reason.THROTTLED),
            Map.entry("OSProvisioningClientError", Reason.THROTTLED),
            Map.entry("OSProvisioningInternalError", Reason.THROTTLED),
            Map.entry("VMStartTimedOut", Reason.THROTTLED),
            Map.entry("AnotherOperationInProgress", Reason.THROTTLED),
            Map.entry("RetryableError", Reason.THROTTLED),
            Map.entry("OperationNotAllowed", Reason.INVALID),
            Map.entry("InvalidParameter", Reason.INVALID),
            Map.entry("InvalidRequestContent", Reason.INVALID),
            Map.entry("InvalidResourceReference", Reason.INVALID),
            Map.entry("BadRequest", Reason.INVALID),
            Map.entry("ImageNotFound", Reason.INVALID),
            Map.entry("PlatformImageNotFound", Reason.INVALID),
            Map.entry("MarketplacePurchaseEligibilityFailed", Reason.INVALID),
            Map.entry("RequestDisallowedByPolicy", Reason.INVALID),
            Map.entry("PropertyChangeNotAllowed", Reason.INVALID),
            Map.entry("ResourceNotFound", Reason.INVALID),
            Map.entry("ResourceGroupNotFound", Reason.INVALID),
            Map.entry("SubscriptionNotFound", Reason.INVALID),
            Map.entry("NotFound", Reason.INVALID));

    private ArmErrors() {}

    /**
     * The reason behind an error's code, also of an operation that was accepted before.
     *
     * @return empty for a code that is not known
     */
    static Optional<Reason> reason(String code, String message) {
        if (code.equals("OperationNotAllowed")) {
            // The same code says "quota" and "not with this size"; only its sentence tells them apart.
            String words = message.toLowerCase(Locale.ROOT);
            boolean quota = words.contains("quota") || words.contains("core limit") || words.contains("cores limit");
            return Optional.of(quota ? Reason.QUOTA : Reason.INVALID);
        }
        return Optional.ofNullable(CODES.get(code));
    }

    /**
     * Of an error status. Below 500 the provider has done nothing; 408, 409 and 5xx leave that open, unless a code is
     * known. 429 is throttling whatever code comes with it: the compute provider's says {@code OperationNotAllowed}
     * ("Troubleshooting API throttling errors").
     */
    static <T> Answer<T> answer(int status, String code, String message) {
        String words = message.isEmpty() ? "answer " + status : message;
        String text = (code.isEmpty() ? words : code + ": " + words).replaceAll("[\\p{Cc}\\p{Cf}]", "?");
        if (status == 429) {
            return new Answer.Refused<>(status, code, Reason.THROTTLED, text);
        }
        if (status >= 500 || status < 400) {
            return new Answer.Unclear<>("answer " + status + " " + text);
        }
        Optional<Reason> known = reason(code, message);
        if (known.isPresent()) {
            return new Answer.Refused<>(status, code, known.get(), text + ArmAdvice.of(code, message));
        }
        return switch (status) {
            case 401, 403 -> new Answer.Refused<>(status, code, Reason.CREDENTIALS, text);
            case 408, 409 -> new Answer.Unclear<>("answer " + status + " " + text);
            default -> new Answer.Refused<>(status, code, Reason.INVALID, text);
        };
    }
}
