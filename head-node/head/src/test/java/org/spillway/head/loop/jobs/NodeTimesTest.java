package org.spillway.head.loop.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class NodeTimesTest {
    private static final Instant TOLD = Instant.parse("2026-11-23T12:00:00Z");
    private static final Instant HEARD = TOLD.plusSeconds(100);

    private static NodeTimes of(Instant started, Instant ended) {
        return NodeTimes.of(started.toEpochMilli(), ended.toEpochMilli(), TOLD, HEARD);
    }

    @Test
    void aRightClockIsBelieved() {
        assertThat(of(TOLD.plusSeconds(5), TOLD.plusSeconds(90)))
                .isEqualTo(new NodeTimes(TOLD.plusSeconds(5), TOLD.plusSeconds(90)));
    }

    @ParameterizedTest
    @ValueSource(longs = {-3600, -50, 50, 3600, 86_400_000})
    void aClockThatIsOffKeepsTheLengthOfTheRun(long seconds) {
        NodeTimes times = of(TOLD.plusSeconds(5 + seconds), TOLD.plusSeconds(90 + seconds));
        assertThat(Duration.between(times.started(), times.ended())).isEqualTo(Duration.ofSeconds(85));
        assertThat(times.started()).isBetween(TOLD, HEARD);
        assertThat(times.ended()).isBetween(TOLD, HEARD);
    }

    @Test
    void nonsenseStaysWithinWhatIsKnown() {
        for (long[] said : new long[][] {
            {1, Long.MAX_VALUE}, {Long.MAX_VALUE, 1}, {Long.MIN_VALUE, Long.MAX_VALUE}, {0, 0}, {5, -5}
        }) {
            NodeTimes times = NodeTimes.of(said[0], said[1], TOLD, HEARD);
            assertThat(times.started()).isBetween(TOLD, HEARD);
            assertThat(times.ended()).isBetween(times.started(), HEARD);
        }
    }
}
