package org.spillway.cli;

/** Ends a command with a message, a hint and an exit code. */
public final class CliFailure extends RuntimeException {
    private static final long serialVersionUID = 1;
    public static final int FAILED = 1;
    public static final int BAD_INPUT = 2;
    public static final int NOT_REACHED = 3;

    private final int exitCode;
    private final int status;
    private final String hint;

    public CliFailure(int exitCode, String message, String hint) {
        this(exitCode, 0, message, hint);
    }

    /** @param status of the head's answer; 0 when there was none */
    CliFailure(int exitCode, int status, String message, String hint) {
        super(message, null, false, false);
        this.exitCode = exitCode;
        this.status = status;
        this.hint = hint;
    }

    boolean isNotFound() {
        return status == 404;
    }

    /** Whether it may go well a moment later: no head answers, or it cannot answer this now. */
    boolean mayPass() {
        return exitCode == NOT_REACHED || status == 503;
    }

    public int exitCode() {
        return exitCode;
    }

    /** The advice; empty when there is nothing to add. */
    public String hint() {
        return hint;
    }
}
