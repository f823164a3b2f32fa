package org.spillway.proof.faultsim;

import java.util.Map;

/**
 * How one seed ended.
 *
 * @param broken the invariant that did not hold; empty when all did
 * @param kills times that the head was killed
 * @param launches instances that the providers made
 * @param attempts attempts of all jobs
 * @param faults that were drawn, by their names
 */
public record Verdict(
        long seed,
        String broken,
        int jobs,
        int kills,
        int launches,
        int attempts,
        long simulatedSeconds,
        Map<String, Integer> faults) {
    public Verdict {
        faults = Map.copyOf(faults);
    }

    public boolean holds() {
        return broken.isEmpty();
    }
}
