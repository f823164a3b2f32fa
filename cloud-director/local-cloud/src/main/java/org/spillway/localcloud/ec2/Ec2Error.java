package org.spillway.localcloud.ec2;

import org.spillway.localcloud.ApiError;

/** EC2's words when it does not do what it was asked. */
final class Ec2Error extends Exception {
    private static final long serialVersionUID = 1;
    private final int status;
    private final String code;

    Ec2Error(int status, String code, String message) {
        super(message);
        this.status = status;
        this.code = code;
    }

    Ec2Error(String code, String message) {
        this(400, code, message);
    }

    static Ec2Error badValue(String parameter, String value) {
        return new Ec2Error(
                "InvalidParameterValue", "Value (" + value + ") for parameter " + parameter + " is invalid");
    }

    static Ec2Error missing(String parameter) {
        return new Ec2Error("MissingParameter", "The request must contain the parameter " + parameter);
    }

    static Ec2Error inUse(String what, String by) {
        return new Ec2Error("DependencyViolation", what + " has a dependent object: " + by);
    }

    /** A refusal of the cloud behind, in EC2's words. */
    static Ec2Error of(ApiError behind) {
        String message = String.valueOf(behind.getMessage());
        return switch (behind.code()) {
            case "CAPACITY" -> new Ec2Error(500, "InsufficientInstanceCapacity", message);
            case "QUOTA" -> new Ec2Error("VcpuLimitExceeded", message);
            case "THROTTLED" -> new Ec2Error(503, "RequestLimitExceeded", message);
            case "CREDENTIALS" -> new Ec2Error(401, "AuthFailure", message);
            case "INVALID" -> new Ec2Error("InvalidParameterValue", message);
            case ApiError.MISMATCH -> new Ec2Error("IdempotentParameterMismatch", message);
            default -> new Ec2Error(500, "InternalError", message);
        };
    }

    int status() {
        return status;
    }

    String code() {
        return code;
    }
}
