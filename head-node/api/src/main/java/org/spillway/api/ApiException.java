package org.spillway.api;

/**
 * A request that is refused: what is wrong, and what to do about it. On the wire
 * {@code {"error":{"code":…,"message":…,"hint":…}}}.
 */
public final class ApiException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final Code code;
    private final String hint;

    /**
     * @param message what was found, in words for a user
     * @param hint what is allowed or what to do; empty when there is nothing to add
     */
    public ApiException(Code code, String message, String hint) {
        super(message, null, false, false);
        this.code = code;
        this.hint = hint;
    }

    public Code code() {
        return code;
    }

    public String hint() {
        return hint;
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }

    /** Kinds of refusal with their HTTP status. The names are part of the API. */
    public enum Code {
        BAD_REQUEST(400),
        UNKNOWN_QUEUE(400),
        NO_OFFERING(400),
        LIMIT_EXCEEDED(400),
        INPUT_UNREADABLE(400),
        OUTPUT_UNWRITABLE(400),
        FORBIDDEN(403),
        NOT_FOUND(404),
        METHOD_NOT_ALLOWED(405),
        KEY_REUSED(409),
        CONFLICT(409),
        TOO_LARGE(413),
        TOO_MANY(429),
        INTERNAL(500),
        UNAVAILABLE(503);

        private final int status;

        Code(int status) {
            this.status = status;
        }

        public int status() {
            return status;
        }
    }
}
