package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.spillway.head.loop.Loop;

/** The production loop with a Slurm in a world where everything fails. More seeds: {@code spillway simulate-faults}. */
final class SlurmSimulationTest {
    /** A sample: every .ci/run lives 500 seeds, and every fourth of them with a Slurm. */
    private static final int SEEDS = 12;

    @Test
    void holdsForTheFirstSeeds() {
        long kills = 0;
        long jobs = 0;
        long attempts = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            Verdict verdict = SlurmSimulation.run(seed, Loop::new);
            assertThat(verdict.broken()).as("seed %d", seed).isEmpty();
            kills += verdict.kills();
            jobs += verdict.jobs();
            attempts += verdict.attempts();
        }
        // A simulation in which nothing happens would hold too.
        assertThat(kills).isGreaterThan(SEEDS);
        assertThat(attempts).isGreaterThan(jobs / 2);
    }

    @Test
    void theSameSeedTellsTheSameStory() {
        for (long seed : new long[] {3, 17, 86}) {
            assertThat(SlurmSimulation.run(seed, Loop::new)).isEqualTo(SlurmSimulation.run(seed, Loop::new));
        }
    }
}
