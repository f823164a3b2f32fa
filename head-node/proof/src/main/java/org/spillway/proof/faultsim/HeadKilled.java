package org.spillway.proof.faultsim;

/** The simulated head is killed at this point: nothing after it happens. */
final class HeadKilled extends RuntimeException {
    private static final long serialVersionUID = 1;

    HeadKilled() {
        super("killed", null, false, false);
    }
}
