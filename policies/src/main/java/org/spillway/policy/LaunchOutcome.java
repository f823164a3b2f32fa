package org.spillway.policy;

/**
 * Outcome of one call that asked a provider for instances of one offering. {@link Refused} is used only when the
 * provider said that nothing exists; whatever leaves room for an instance is {@link Unknown}.
 */
public sealed interface LaunchOutcome {
    /** All that was asked for exists. */
    record Launched(int count) implements LaunchOutcome {}

    /** Some of it exists, and the provider said why not more. */
    record Partial(int count, Reason reason, String message) implements LaunchOutcome {}

    /** Nothing exists. */
    record Refused(Reason reason, String message) implements LaunchOutcome {}

    /** Money may be running: the answer was lost, late or unintelligible. */
    record Unknown(String message) implements LaunchOutcome {}

    /** Why a provider gave less than was asked. */
    enum Reason {
        CAPACITY,
        QUOTA,
        /** The buyer's own limit leaves no room beside what it has there: it does as soon as something of that ends. */
        OCCUPIED,
        CREDENTIALS,
        THROTTLED,
        INVALID
    }
}
