package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.spillway.head.loop.Loop;

/** The production loop in a world where everything fails. More seeds: {@code spillway simulate-faults}. */
final class FaultSimulationTest {
    /** A few: {@code spillway simulate-faults} runs thousands, in {@code .ci/run}. */
    private static final int SEEDS = 8;

    @Test
    void holdsForTheFirstSeeds() throws InterruptedException {
        Campaign.Result result = Campaign.run(1, SEEDS, 2, Loop::new, done -> {});
        assertThat(result.broken()).isEmpty();
        assertThat(result.brokenCount()).isZero();
        // A simulation in which nothing happens would hold too.
        assertThat(result.kills()).isGreaterThan(SEEDS);
        assertThat(result.launches()).isGreaterThan(2L * SEEDS);
        assertThat(result.attempts()).isGreaterThan(result.jobs() / 2);
    }

    @ParameterizedTest
    @MethodSource("kept")
    void holdsForSeedsThatFoundSomething(long seed, boolean busyUsers, String why) {
        assertThat(FaultSimulation.run(seed, Loop::new, busyUsers).broken())
                .as(why)
                .isEmpty();
    }

    @Test
    void theSameSeedTellsTheSameStory() {
        for (long seed : List.of(3L, 17L, 598L)) {
            assertThat(FaultSimulation.run(seed, Loop::new)).isEqualTo(FaultSimulation.run(seed, Loop::new));
        }
        assertThat(FaultSimulation.run(3, Loop::new)).isNotEqualTo(FaultSimulation.run(4, Loop::new));
    }

    private static Stream<Object[]> kept() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(FaultSimulationTest.class.getResourceAsStream("kept-seeds.txt")),
                StandardCharsets.UTF_8))) {
            return lines
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split(" ", 3))
                    .map(part -> new Object[] {Long.parseLong(part[0]), part[1].equals("busy"), part[2]})
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
