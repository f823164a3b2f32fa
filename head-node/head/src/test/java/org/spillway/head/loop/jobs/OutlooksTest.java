package org.spillway.head.loop.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** When nodes that are on their way can take jobs. */
final class OutlooksTest {
    private static final Instant NOW = Instant.parse("2026-11-23T12:00:00Z");
    private static final Duration BOOT = Duration.ofSeconds(90);

    @Test
    void aNodeThatIsOnTimeArrivesAfterItsBoot() {
        assertThat(Outlooks.arrives(NOW.minusSeconds(30), BOOT, NOW)).isEqualTo(NOW.plusSeconds(60));
    }

    /** H8: a start "now" was said of a job whose node was late. */
    @Test
    void aNodeThatIsLateIsNotThere() {
        assertThat(Outlooks.arrives(NOW.minusSeconds(300), BOOT, NOW)).isEqualTo(NOW.plusSeconds(10));
        assertThat(Outlooks.arrives(NOW.minusSeconds(89), BOOT, NOW)).isAfter(NOW.plusSeconds(9));
    }
}
