package org.spillway.scaler.simulate.log;

/** A line that says something impossible. */
final class Malformed extends Exception {
    private static final long serialVersionUID = 1;

    Malformed(String what) {
        super(what, null, false, false);
    }

    String what() {
        return String.valueOf(getMessage());
    }
}
