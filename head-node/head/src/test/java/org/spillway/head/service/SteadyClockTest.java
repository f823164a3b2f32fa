package org.spillway.head.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SteadyClockTest {
    private static final Instant NOON = Instant.parse("2026-11-23T12:00:00Z");

    private final AtomicReference<Instant> machine = new AtomicReference<>(NOON);
    private final AtomicLong nanos = new AtomicLong(77);

    private SteadyClock clock(Optional<Instant> latest) {
        return SteadyClock.from(machine::get, nanos::get, latest);
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
        machine.updateAndGet(now -> now.plus(time));
    }

    @ParameterizedTest
    @ValueSource(longs = {-3600, 3600})
    void aClockThatIsSetMovesNoTimeOfTheHead(long seconds) {
        SteadyClock clock = clock(Optional.empty());
        pass(Duration.ofSeconds(10));
        machine.updateAndGet(now -> now.plusSeconds(seconds));
        assertThat(clock.instant()).isEqualTo(NOON.plusSeconds(10));
        assertThat(clock.offset()).isEqualTo(Duration.ofSeconds(seconds));
        pass(Duration.ofSeconds(10));
        machine.updateAndGet(now -> now.minusSeconds(seconds));
        assertThat(clock.instant()).isEqualTo(NOON.plusSeconds(20));
        assertThat(clock.offset()).isZero();
    }

    @Test
    void aStartWithAClockThatWasSetBackGoesOnFromTheLastStep() {
        SteadyClock clock = clock(Optional.of(NOON.plusSeconds(3600)));
        pass(Duration.ofSeconds(10));
        assertThat(clock.instant()).isEqualTo(NOON.plusSeconds(3610));
    }

    @Test
    void aJournalFromFarAheadWasWrongItself() {
        assertThat(clock(Optional.of(NOON.plus(Duration.ofDays(400)))).instant())
                .isEqualTo(NOON);
        assertThat(clock(Optional.of(NOON.minusSeconds(5))).instant()).isEqualTo(NOON);
    }
}
