package org.spillway.head.loop.money;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where a budget begins anew, where clocks are changed too. */
final class BudgetPeriodTest {
    @ParameterizedTest
    @CsvSource({
        "HOUR,  UTC,               2026-03-15T10:59:59.999Z, 2026-03-15T10:00:00Z",
        "HOUR,  UTC,               2026-03-15T11:00:00Z,     2026-03-15T11:00:00Z",
        // Half an hour off the world's hours.
        "HOUR,  Asia/Kolkata,      2026-03-15T10:45:00Z,     2026-03-15T10:30:00Z",
        "DAY,   UTC,               2026-03-15T23:59:59Z,     2026-03-15T00:00:00Z",
        "DAY,   Europe/Berlin,     2026-01-15T23:30:00Z,     2026-01-15T23:00:00Z",
        "DAY,   America/New_York,  2026-01-15T04:59:59Z,     2026-01-14T05:00:00Z",
        // 23 hours long: clocks go forward at 02:00.
        "DAY,   Europe/Berlin,     2026-03-29T21:59:59Z,     2026-03-28T23:00:00Z",
        "DAY,   Europe/Berlin,     2026-03-29T22:00:00Z,     2026-03-29T22:00:00Z",
        // 25 hours long: clocks go back at 03:00.
        "DAY,   Europe/Berlin,     2026-10-25T22:59:59Z,     2026-10-24T22:00:00Z",
        // The hour that comes twice is two hours.
        "HOUR,  Europe/Berlin,     2026-10-25T00:30:00Z,     2026-10-25T00:00:00Z",
        "HOUR,  Europe/Berlin,     2026-10-25T01:30:00Z,     2026-10-25T01:00:00Z",
        // Midnight comes twice in Havana, on the first day of a month: the first one counts.
        "DAY,   America/Havana,    2026-11-01T04:30:00Z,     2026-11-01T04:00:00Z",
        "DAY,   America/Havana,    2026-11-01T15:00:00Z,     2026-11-01T04:00:00Z",
        "MONTH, America/Havana,    2026-11-20T15:00:00Z,     2026-11-01T04:00:00Z",
        // There was no midnight on that day in Sao Paulo.
        "DAY,   America/Sao_Paulo, 2018-11-04T15:00:00Z,     2018-11-04T03:00:00Z",
        "MONTH, UTC,               2026-02-28T23:59:59Z,     2026-02-01T00:00:00Z",
        "MONTH, Europe/Berlin,     2026-03-31T22:30:00Z,     2026-03-31T22:00:00Z",
        "MONTH, Europe/Berlin,     2026-10-31T22:59:59Z,     2026-09-30T22:00:00Z",
    })
    void begins(BudgetPeriod period, String zone, Instant now, Instant start) {
        assertThat(period.start(now, ZoneId.of(zone))).isEqualTo(start);
    }

    /** Whatever was spent in a period stays in it until the next: starts never go back, never lie ahead, and hold. */
    @Test
    void aPeriodKeepsItsStartUntilTheNext() {
        for (String zone : List.of("UTC", "Europe/Berlin", "America/Havana", "Australia/Lord_Howe", "Asia/Kolkata")) {
            for (BudgetPeriod period : BudgetPeriod.values()) {
                Instant last = Instant.MIN;
                Instant end = Instant.parse("2027-01-02T00:00:00Z");
                for (Instant now = Instant.parse("2026-01-01T00:00:00Z");
                        now.isBefore(end);
                        now = now.plus(Duration.ofMinutes(30))) {
                    Instant start = period.start(now, ZoneId.of(zone));
                    assertThat(start).as("%s %s %s", zone, period, now).isBeforeOrEqualTo(now);
                    assertThat(start).as("%s %s %s", zone, period, now).isAfterOrEqualTo(last);
                    assertThat(period.start(start, ZoneId.of(zone)))
                            .as("%s %s %s", zone, period, now)
                            .isEqualTo(start);
                    last = start;
                }
            }
        }
    }
}
