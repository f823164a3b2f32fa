package org.spillway.head.past;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class AttemptNumbersTest {
    @Test
    void eachEpochHasNumbersOfItsOwn() {
        assertThat(AttemptNumbers.before(0, 1)).isZero();
        assertThat(AttemptNumbers.before(3, 1)).isEqualTo(3);
        assertThat(AttemptNumbers.before(3, 2)).isEqualTo(1000);
        assertThat(AttemptNumbers.before(1002, 2)).isEqualTo(1002);
        assertThat(AttemptNumbers.before(1002, 4)).isEqualTo(3000);
    }

    @Test
    void triesOfAnEarlierEpochAreForgiven() {
        assertThat(AttemptNumbers.made(0)).isZero();
        assertThat(AttemptNumbers.made(4)).isEqualTo(4);
        assertThat(AttemptNumbers.made(1001)).isEqualTo(1);
        assertThat(AttemptNumbers.made(4, 1)).isEqualTo(4);
        assertThat(AttemptNumbers.made(4, 2)).isZero();
        assertThat(AttemptNumbers.made(1003, 2)).isEqualTo(3);
    }

    @Test
    void whatMayHaveBeenGivenIsSought() {
        assertThat(AttemptNumbers.upTo(0)).isEmpty();
        assertThat(AttemptNumbers.upTo(3)).containsExactly(1, 2, 3);
        assertThat(AttemptNumbers.upTo(1002)).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1001, 1002);
    }

    /** Journals that are put back at random, each to any earlier state. */
    @Test
    void noNumberIsGivenTwiceWhateverIsPutBack() {
        for (long seed = 0; seed < 2000; seed++) {
            Random random = new Random(seed);
            Set<Integer> given = new HashSet<>();
            int known = 0;
            int epoch = 1;
            for (int step = 0; step < 60; step++) {
                if (random.nextInt(6) == 0) {
                    known = given.stream()
                            .filter(one -> random.nextBoolean())
                            .findAny()
                            .orElse(0);
                    epoch++;
                } else {
                    known = AttemptNumbers.before(known, epoch) + 1;
                    assertThat(given.add(known))
                            .as("seed %d: attempt %d", seed, known)
                            .isTrue();
                }
            }
        }
    }
}
