package org.spillway.proof.faultsim;

/** An invariant does not hold. */
final class Broken extends RuntimeException {
    private static final long serialVersionUID = 1;

    Broken(String message) {
        super(message, null, false, false);
    }
}
