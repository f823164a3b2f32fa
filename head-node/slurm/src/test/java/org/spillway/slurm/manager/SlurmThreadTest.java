package org.spillway.slurm.manager;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class SlurmThreadTest {
    @Test
    void asksOftenOnlyWhileSomethingMovesAndAskingIsCheap() {
        assertThat(pause(20, false)).isEqualTo(500);
        assertThat(pause(20, true)).isEqualTo(100);
        assertThat(pause(60, true)).isEqualTo(240);
        assertThat(pause(200, true)).isEqualTo(500);
        assertThat(pause(900, true)).isEqualTo(900);
        assertThat(pause(900, false)).isEqualTo(900);
    }

    private static long pause(long tookMillis, boolean lively) {
        return SlurmThread.pause(Duration.ofMillis(tookMillis), lively).toMillis();
    }
}
