package org.spillway.head.cli;

/** Ends a command with a message, a hint and an exit code. */
public final class CliFailure extends RuntimeException {
    private static final long serialVersionUID = 1;
    public static final int FAILED = 1;
    public static final int BAD_INPUT = 2;
    public static final int NOT_REACHED = 3;

    private final int exitCode;
    private final String hint;

    public CliFailure(int exitCode, String message, String hint) {
        super(message, null, false, false);
        this.exitCode = exitCode;
        this.hint = hint;
    }

    public int exitCode() {
        return exitCode;
    }

    /** What to do; empty when there is nothing to add. */
    public String hint() {
        return hint;
    }
}
