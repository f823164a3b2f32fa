package org.spillway.proof.faultsim;

/**
 * How one seed ended.
 *
 * @param broken the invariant that did not hold; empty when all did
 * @param kills times that the head was killed
 * @param launches instances that the providers made
 * @param attempts attempts of all jobs
 */
public record Verdict(
        long seed, String broken, int jobs, int kills, int launches, int attempts, long simulatedSeconds) {
    public boolean holds() {
        return broken.isEmpty();
    }
}
