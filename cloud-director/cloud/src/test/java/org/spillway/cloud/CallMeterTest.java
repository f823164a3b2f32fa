package org.spillway.cloud;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.spillway.cloud.CallMeter.Kind;
import org.spillway.cloud.CallMeter.Minute;

final class CallMeterTest {
    private static final Instant NOON = Instant.parse("2026-11-23T12:00:00Z");
    private final AtomicReference<Instant> now = new AtomicReference<>(NOON);
    private final CallMeter meter = new CallMeter(now::get);

    @Test
    void aMinuteIsTheLastSixtySecondsAndATotalIsAll() {
        assertThat(meter.lastMinute()).isEqualTo(Minute.NONE);
        for (int second = 0; second < 90; second++) {
            now.set(NOON.plusSeconds(second));
            meter.sent(Kind.READ);
            meter.sent(Kind.READ);
            meter.sent(second % 10 == 0 ? Kind.CHANGE : Kind.READ);
        }
        assertThat(meter.lastMinute()).isEqualTo(new Minute(174, 6));
        assertThat(meter.total(Kind.READ)).isEqualTo(261);
        assertThat(meter.total(Kind.CHANGE)).isEqualTo(9);
        now.set(NOON.plusSeconds(89 + 60));
        assertThat(meter.lastMinute()).isEqualTo(Minute.NONE);
    }
}
