package org.spillway.localcloud.arm;

import org.spillway.localcloud.ApiError;

/** An error as the resource manager tells it. */
final class ArmFault extends Exception {
    private static final long serialVersionUID = 1;
    private final int status;
    private final String code;

    ArmFault(int status, String code, String message) {
        super(message);
        this.status = status;
        this.code = code;
    }

    int status() {
        return status;
    }

    String code() {
        return code;
    }

    static ArmFault notFound(String what) {
        return new ArmFault(404, "ResourceNotFound", "The resource '" + what + "' was not found.");
    }

    static ArmFault invalid(String target, String message) {
        return new ArmFault(400, "InvalidParameter", target + ": " + message);
    }

    /** The cloud's refusal in this API's words. */
    static ArmFault of(ApiError refused) {
        return of(refused.code(), String.valueOf(refused.getMessage()));
    }

    static ArmFault of(String reason, String message) {
        return switch (reason) {
            case "CAPACITY" -> new ArmFault(409, "SkuNotAvailable", "The requested size is not available: " + message);
            case "QUOTA" ->
                new ArmFault(
                        409,
                        "OperationNotAllowed",
                        "Operation could not be completed as it results in exceeding approved Cores quota: " + message);
            case "CREDENTIALS" ->
                new ArmFault(
                        403, "AuthorizationFailed", "The client does not have authorization to do this: " + message);
            case "THROTTLED" -> new ArmFault(429, "TooManyRequests", "The request is being throttled: " + message);
            case ApiError.MISMATCH -> new ArmFault(409, "PropertyChangeNotAllowed", message);
            case "INVALID" -> new ArmFault(400, "InvalidParameter", message);
            default -> new ArmFault(500, "InternalServerError", message);
        };
    }
}
