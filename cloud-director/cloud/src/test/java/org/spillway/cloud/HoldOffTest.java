package org.spillway.cloud;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class HoldOffTest {
    private static final Instant NOW = Instant.parse("1994-11-06T08:49:37Z");

    /** The three forms of one moment are those of RFC 9110, 5.6.7. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1200                           |                               | PT20M",
                "0                              |                               | ",
                "-5                             |                               | ",
                "soon                           |                               | ",
                "''                             |                               | ",
                "99999999                       |                               | P1D",
                "Sun, 06 Nov 1994 08:51:37 GMT  |                               | PT2M",
                "Sunday, 06-Nov-94 08:51:37 GMT |                               | ",
                "Sun Nov  6 08:51:37 1994       |                               | PT2M",
                "Sun, 06 Nov 1994 08:40:00 GMT  |                               | ",
                "Sun, 06 Nov 1994 09:51:37 GMT  | Sun, 06 Nov 1994 09:49:37 GMT | PT2M",
                "Tue, 24 Nov 2026 10:00:00 GMT  | Tue, 24 Nov 2026 09:59:00 GMT | PT1M"
            })
    void aPauseIsSecondsOrADateByTheProvidersClock(String header, String date, Duration pause) {
        assertThat(HoldOff.pause(header, date == null ? "" : date, NOW).orElse(null))
                .isEqualTo(pause);
    }

    @Test
    void theYearOfTwoDigitsIsOfThisCentury() {
        assertThat(HoldOff.pause("Tuesday, 24-Nov-26 10:00:30 GMT", "", Instant.parse("2026-11-24T10:00:00Z")))
                .contains(Duration.ofSeconds(30));
    }

    @Test
    void aPauseHoldsItsBucketOnlyAndTheLaterEndCounts() {
        AtomicReference<Instant> now = new AtomicReference<>(NOW);
        HoldOff holdOff = new HoldOff(now::get);
        holdOff.asked("reads", "60", "");
        holdOff.asked("reads", "10", "");
        assertThat(holdOff.until("reads")).contains(NOW.plusSeconds(60));
        assertThat(holdOff.until("changes")).isEmpty();
        now.set(NOW.plusSeconds(60));
        assertThat(holdOff.until("reads")).isEmpty();
    }
}
