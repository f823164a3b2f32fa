package org.spillway.head.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.api.JobDetail.Moment;
import org.spillway.api.JobState;

final class TimelineTest {
    private static final Instant NOON = BusyHead.NOON;

    private static Moment moment(JobState state, double seconds) {
        return new Moment(state, NOON.plusMillis((long) (1000 * seconds)), "because");
    }

    private static BigDecimal number(String percent) {
        return new BigDecimal(percent.substring(0, percent.length() - 1));
    }

    @Test
    void aJobThatEndedIsAllInProportion() {
        var bar = Timeline.of(
                List.of(moment(JobState.SUBMITTED, 0), moment(JobState.RUNNING, 50), moment(JobState.DONE, 100)),
                NOON.plusSeconds(9999));
        assertThat(bar.total()).isEqualTo(Duration.ofSeconds(100));
        assertThat(bar.parts()).extracting(Timeline.Part::width).containsExactly("50.00%", "50.00%");
        assertThat(bar.parts()).extracting(Timeline.Part::x).containsExactly("0.00%", "50.00%");
        assertThat(bar.parts()).extracting(Timeline.Part::open).containsExactly(false, false);
    }

    @Test
    void aJobThatLivesGrowsToNow() {
        var bar = Timeline.of(List.of(moment(JobState.SUBMITTED, 0), moment(JobState.HELD, 1)), NOON.plusSeconds(61));
        assertThat(bar.parts().getLast().length()).isEqualTo(Duration.ofSeconds(60));
        assertThat(bar.parts().getLast().open()).isTrue();
    }

    @Test
    void aMomentInADayCanStillBePointedAt() {
        var bar = Timeline.of(
                List.of(moment(JobState.SUBMITTED, 0), moment(JobState.RUNNING, 0.01), moment(JobState.DONE, 86_400)),
                NOON);
        assertThat(number(bar.parts().getFirst().width())).isBetween(new BigDecimal("0.5"), BigDecimal.ONE);
        assertThat(bar.parts().getFirst().wide()).isFalse();
    }

    @Test
    void aClockThatWasSetBackMakesNoNegativeLength() {
        var bar = Timeline.of(
                List.of(moment(JobState.SUBMITTED, 10), moment(JobState.RUNNING, 5), moment(JobState.DONE, 6)), NOON);
        assertThat(bar.parts()).extracting(Timeline.Part::length).containsExactly(Duration.ZERO, Duration.ofSeconds(1));
    }

    @Test
    void nothingIsKnownYet() {
        assertThat(Timeline.of(List.of(), NOON).parts()).isEmpty();
        assertThat(Timeline.of(List.of(moment(JobState.CANCELLED, 0)), NOON).parts())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void thePartsFillTheBarExactly(long seed) {
        var random = new Random(seed);
        var states = JobState.values();
        for (int round = 0; round < 50; round++) {
            var moments = new ArrayList<Moment>();
            double at = 0;
            for (int i = 1 + random.nextInt(300); i > 0; i--) {
                moments.add(moment(states[random.nextInt(6)], at));
                at += random.nextInt(4) == 0 ? 0 : Math.exp(random.nextInt(12) - 5);
            }
            var parts =
                    Timeline.of(moments, NOON.plusMillis((long) (1000 * at))).parts();
            var x = BigDecimal.ZERO;
            for (var part : parts) {
                assertThat(number(part.x())).as("seed " + seed).isEqualByComparingTo(x);
                assertThat(number(part.width())).as("seed " + seed).isPositive();
                x = x.add(number(part.width()));
            }
            assertThat(x).as("seed " + seed).isEqualByComparingTo("100");
        }
    }
}
