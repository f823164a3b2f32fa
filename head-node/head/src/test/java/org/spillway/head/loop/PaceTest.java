package org.spillway.head.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Ticks leave the loop to those who submit. */
final class PaceTest {
    @ParameterizedTest
    @CsvSource({
        // took, busy, call, rest
        "1, false, NONE, 1000",
        "1, true, NONE, 100",
        "60, true, NONE, 600",
        "400, true, NONE, 1000",
        "1500, true, NONE, 1500",
        "1, true, WAKE, 20",
        "60, true, WAKE, 60",
        "1, true, CHANGE, 20",
        "30, true, CHANGE, 120",
        "100, true, CHANGE, 400",
        "400, false, CHANGE, 1000",
        "1500, false, CHANGE, 1500",
        // stopped in the middle of a tick, for five minutes
        "300000, false, NONE, 5000",
        "300000, true, NONE, 5000",
        "300000, true, WAKE, 5000",
        "300000, true, CHANGE, 5000",
    })
    void restsAsLongAsWhatHasComeMayTake(int took, boolean busy, Pace.Call call, int rest) {
        assertThat(Pace.rest(Duration.ofMillis(took), Duration.ofSeconds(1), busy, call))
                .isEqualTo(Duration.ofMillis(rest));
    }

    @ParameterizedTest
    @CsvSource({"NONE, WAKE, WAKE", "CHANGE, WAKE, CHANGE", "WAKE, CHANGE, CHANGE", "NONE, NONE, NONE"})
    void aChangeIsNotForgottenForAWake(Pace.Call before, Pace.Call next, Pace.Call both) {
        assertThat(before.and(next)).isEqualTo(both);
    }
}
