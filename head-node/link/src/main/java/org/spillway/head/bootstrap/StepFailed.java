package org.spillway.head.bootstrap;

import java.io.IOException;

/** A machine that was reached has said that a step failed on it: not a matter of the link. */
public final class StepFailed extends IOException {
    private static final long serialVersionUID = 1;

    public StepFailed(String message) {
        super(message);
    }
}
