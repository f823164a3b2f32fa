package org.spillway.localcloud;

/** An explicit refusal: nothing was done. */
public final class ApiError extends Exception {
    private static final long serialVersionUID = 1;
    public static final String MISMATCH = "IdempotentParameterMismatch";
    private final int status;
    private final String code;

    /** @param code one of LaunchOutcome.Reason's names, {@link #MISMATCH}, or {@code INTERNAL} */
    public ApiError(int status, String code, String message) {
        super(message);
        this.status = status;
        this.code = code;
    }

    public static ApiError invalid(String message) {
        return new ApiError(400, "INVALID", message);
    }

    public int status() {
        return status;
    }

    public String code() {
        return code;
    }
}
