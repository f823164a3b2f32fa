package org.spillway.head.loop.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.SiteCause;

/** Finding C2: 149 DELETEs in a minute against a resource lock, and nobody was told. */
final class UnendedTest {
    private static final Instant NOON = Instant.parse("2026-11-23T12:00:00Z");
    private final Unended unended = new Unended();

    /** Calls of an instance in so long a time, looked at ten times a second. */
    private int calls(Duration time, boolean refused) {
        int calls = 0;
        for (Instant now = NOON; now.isBefore(NOON.plus(time)); now = now.plusMillis(100)) {
            if (unended.mayAsk("i-1", now)) {
                calls++;
                if (refused) {
                    unended.refused("i-1", "ScopeLocked: locked", now);
                } else {
                    unended.accepted("i-1");
                }
            }
        }
        return calls;
    }

    @Test
    void aLockIsAskedLessAndLess() {
        assertThat(calls(Duration.ofMinutes(1), true)).isBetween(4, 6);
    }

    @Test
    void anHourOfALockIsFewCallsAndNoneIsTheLast() {
        assertThat(calls(Duration.ofHours(1), true)).isBetween(12, 22);
    }

    @Test
    void anAcceptedEndIsAskedForAgainInHalfAMinuteAtLatest() {
        assertThat(calls(Duration.ofMinutes(10), false)).isBetween(20, 25);
    }

    @Test
    void theSiteSaysHowManyAndWhyUntilTheyHaveEnded() {
        assertThat(unended.cause(NOON)).isEqualTo(Cause.NONE);
        for (String instance : new String[] {"i-1", "i-2"}) {
            assertThat(unended.mayAsk(instance, NOON)).isTrue();
            unended.refused(instance, "ScopeLocked: locked", NOON);
        }
        assertThat(unended.cause(NOON)).isEqualTo(new SiteCause.EndsRefused(2, "ScopeLocked: locked"));
        unended.accepted("i-1");
        assertThat(unended.cause(NOON)).isEqualTo(new SiteCause.EndsRefused(1, "ScopeLocked: locked"));
        unended.forget("i-2");
        assertThat(unended.cause(NOON)).isEqualTo(Cause.NONE);
    }

    @Test
    void whatNobodyAsksForAnyMoreIsForgotten() {
        unended.mayAsk("i-1", NOON);
        unended.refused("i-1", "no", NOON);
        assertThat(unended.cause(NOON.plusSeconds(3600))).isEqualTo(Cause.NONE);
        assertThat(unended.mayAsk("i-1", NOON.plusSeconds(3600))).isTrue();
    }
}
