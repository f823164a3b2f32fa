package org.spillway.head.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.head.config.HeadConfig;
import org.spillway.policy.Market;
import org.spillway.policy.ScheduleWindow;

class TimetableTest {
    private static final ScheduleWindow.Warm WARM = new ScheduleWindow.Warm("east", "small", Market.SPOT, 4);
    /** A quarter of an hour before eight on Mondays, for two hours, in Berlin. */
    private static final Timetable MONDAY = new Timetable(
            List.of(new HeadConfig.Window("monday", "0 45 7 ? * MON", Duration.ofHours(2), WARM)),
            ZoneId.of("Europe/Berlin"));

    @Test
    void opensAtTheHourOfTheHeadsZoneAndClosesAfterItsDuration() {
        // 2026-11-23 is a Monday; Berlin is one hour ahead of UTC.
        Instant opened = Instant.parse("2026-11-23T06:45:00Z");
        assertThat(MONDAY.open(opened.minusSeconds(1))).isEmpty();
        assertThat(MONDAY.open(opened))
                .containsExactly(new ScheduleWindow("monday", opened, opened.plusSeconds(7200), WARM));
        assertThat(MONDAY.open(opened.plusSeconds(7199))).hasSize(1);
        assertThat(MONDAY.open(opened.plusSeconds(7200))).isEmpty();
    }

    @Test
    void followsTheClocksOfSummer() {
        assertThat(MONDAY.open(Instant.parse("2026-07-06T05:45:00Z"))).hasSize(1);
        assertThat(MONDAY.open(Instant.parse("2026-07-06T07:45:00Z"))).isEmpty();
    }
}
