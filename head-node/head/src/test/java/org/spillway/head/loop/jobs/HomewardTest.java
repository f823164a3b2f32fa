package org.spillway.head.loop.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** H2: when results are brought home again, and when no more. */
final class HomewardTest {
    private static final Instant NOW = Instant.parse("2026-11-23T06:00:00Z");

    @Test
    void pausesGrowAndAreBounded() {
        assertThat(Homeward.pauseAfter(0)).isEqualTo(Duration.ofSeconds(2));
        assertThat(Homeward.pauseAfter(1)).isEqualTo(Duration.ofSeconds(2));
        assertThat(Homeward.pauseAfter(2)).isEqualTo(Duration.ofSeconds(4));
        assertThat(Homeward.pauseAfter(8)).isEqualTo(Duration.ofSeconds(256));
        assertThat(Homeward.pauseAfter(9)).isEqualTo(Duration.ofMinutes(5));
        assertThat(Homeward.pauseAfter(Integer.MAX_VALUE)).isEqualTo(Duration.ofMinutes(5));
    }

    @Test
    void theDayCountsFromTheFirstFailureOfAnyHead() {
        Instant yesterday = NOW.minus(Duration.ofHours(25));
        assertThat(Homeward.isOver(yesterday, NOW.minus(Duration.ofHours(1)), NOW))
                .isTrue();
        assertThat(Homeward.isOver(yesterday, NOW.minusSeconds(5), NOW))
                .as("this head has just begun")
                .isFalse();
        assertThat(Homeward.isOver(NOW.minus(Duration.ofHours(23)), NOW.minus(Duration.ofHours(23)), NOW))
                .isFalse();
        assertThat(Homeward.isOver(NOW.plus(Duration.ofHours(1)), NOW, NOW))
                .as("a clock set back")
                .isFalse();
    }
}
