package org.spillway.cloud;

import org.spillway.policy.LaunchOutcome;

/** A provider's call that did not do what it should. The message is for an administrator and bears no secret. */
public final class CloudException extends Exception {
    private static final long serialVersionUID = 1;
    private final LaunchOutcome.Reason reason;

    public CloudException(LaunchOutcome.Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    public CloudException(LaunchOutcome.Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public LaunchOutcome.Reason reason() {
        return reason;
    }
}
