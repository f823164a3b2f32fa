package org.spillway.head.loop.port;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

final class AskedCallsTest {
    private static final Instant NOW = Instant.parse("2026-11-23T06:00:00Z");
    private static final Duration PAUSE = Duration.ofSeconds(5);

    private boolean underWay;
    private final AskedCalls calls = new AskedCalls(new NoEffects(), NOW);

    @Test
    void asksAgainAfterAPauseAndNotWhileItIsUnderWay() {
        assertThat(calls.mayAskAgain("k", NOW, PAUSE)).isTrue();
        assertThat(calls.mayAskAgain("k", NOW.plusSeconds(4), PAUSE)).isFalse();
        underWay = true;
        assertThat(calls.mayAskAgain("k", NOW.plusSeconds(5), PAUSE)).isFalse();
        underWay = false;
        assertThat(calls.mayAskAgain("k", NOW.plusSeconds(5), PAUSE)).isTrue();
    }

    @Test
    void whatIsForgottenMayBeAskedAtOnce() {
        calls.mayAskAgain("k", NOW, PAUSE);
        calls.forget("k");
        assertThat(calls.mayAskAgain("k", NOW, PAUSE)).isTrue();
    }

    @Test
    void onlyWhatIsOldIsLetGoOf() {
        Instant later = NOW.plusSeconds(601);
        calls.mayAskAgain("old", NOW, PAUSE);
        calls.mayAskAgain("young", later, PAUSE);
        calls.forgetOld(later);
        assertThat(calls.mayAskAgain("young", later, PAUSE)).isFalse();
        assertThat(calls.mayAskAgain("old", later, Duration.ofDays(1))).isTrue();
    }

    private final class NoEffects implements Effects {
        @Override
        public <T> void begin(String key, Callable<T> effect, Consumer<T> done, Consumer<Exception> failed) {
            throw new AssertionError("nothing begins here");
        }

        @Override
        public boolean isUnderWay(String key) {
            return underWay;
        }

        @Override
        public void handBack() {}
    }
}
