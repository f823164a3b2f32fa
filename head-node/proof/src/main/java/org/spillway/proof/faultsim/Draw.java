package org.spillway.proof.faultsim;

import java.util.SplittableRandom;

/** Everything random in one simulation, from its seed. */
final class Draw {
    private final SplittableRandom random;

    Draw(long seed) {
        random = new SplittableRandom(seed);
    }

    boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    /** From {@code low} to {@code high}, both included. */
    int between(int low, int high) {
        return random.nextInt(low, high + 1);
    }

    long id() {
        return random.nextLong() >>> 1;
    }
}
