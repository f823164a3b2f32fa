package org.spillway.slurm.setup;

/** Nothing was changed, as something is not as it has to be. */
public final class SetupRefused extends Exception {
    private static final long serialVersionUID = 1;

    private final String advice;

    /** @param message with the name of the file, and its difference where there is one */
    public SetupRefused(String message, String advice) {
        super(message);
        this.advice = advice;
    }

    /** The advice; empty for none. */
    public String advice() {
        return advice;
    }
}
