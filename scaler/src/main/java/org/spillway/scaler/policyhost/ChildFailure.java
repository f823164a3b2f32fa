package org.spillway.scaler.policyhost;

/** The child gave no usable answer; the message says so after the policy's name, such as "did not answer in time". */
final class ChildFailure extends Exception {
    private static final long serialVersionUID = 1;

    ChildFailure(String message) {
        super(message);
    }

    String sentence() {
        return String.valueOf(getMessage());
    }
}
