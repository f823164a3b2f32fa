package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.head.loop.Loop;

/** ADR 67 in a world where everything fails: no byte of another state of a file, and no write that is lost. */
final class HomeWithinReachTest {
    private static final int SEEDS = 20;
    private static final int MOST_SEEDS = 60;

    @Test
    void runsReadTheirHomeWhileEverythingFails() {
        List<Verdict> verdicts = LongStream.rangeClosed(1, SEEDS)
                .mapToObj(seed -> FaultSimulation.run(seed, Loop::new))
                .toList();
        assertThat(verdicts).extracting(Verdict::broken).containsOnly("");
        Map<String, Integer> faults = new TreeMap<>();
        verdicts.forEach(verdict -> verdict.faults().forEach((name, count) -> faults.merge(name, count, Integer::sum)));
        // A world in which nobody reads, or no file changes, would hold too.
        assertThat(faults.get("home file read")).as(faults::toString).isGreaterThan(5 * SEEDS);
        assertThat(faults)
                .containsKeys(
                        "home file changed under its reader",
                        "home question lost",
                        "home question answered twice",
                        "home answer lost");
    }

    @ParameterizedTest
    @CsvSource({
        "ANY_STATE, read bytes of two states of one file of its home",
        "OPENS_ANEW, read bytes of two states of one file of its home",
        "FORGETS_WRITES, at home"
    })
    void aPlantedMistakeIsFound(SimReach.Mistake mistake, String said) {
        Optional<String> found = LongStream.rangeClosed(1, MOST_SEEDS)
                .mapToObj(seed -> FaultSimulation.run(seed, Loop::new, mistake).broken())
                .filter(broken -> broken.contains(said))
                .findFirst();
        assertThat(found).as(said).isPresent();
    }
}
