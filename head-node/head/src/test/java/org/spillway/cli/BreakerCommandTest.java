package org.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Output and effect of {@code breaker}. */
final class BreakerCommandTest extends AskedHead {
    @Test
    void helpTeachesWithAnExample() {
        assertThat(run("breaker", "--help")).isZero();
        golden("help-breaker.txt", out.toString());
    }

    @Test
    void theyAreListed() {
        assertThat(run("breaker", "list", "--socket", socket.toString())).isZero();
        assertThat(out.toString())
                .contains("pool:east/a/small/ON_DEMAND")
                .contains("OPEN")
                .contains("spillway breaker close pool:east")
                .contains("closed")
                .doesNotContain("\u001b");
    }

    @Test
    void theyAreListedForPrograms() {
        assertThat(run("breaker", "list", "--json", "--socket", socket.toString()))
                .isZero();
        golden("breakers.json", out.toString());
    }

    @Test
    void oneIsClosed() {
        assertThat(run("breaker", "close", "--socket", socket.toString(), "pool:east/a/small/ON_DEMAND"))
                .isZero();
        assertThat(HEAD.changes).containsExactly("close pool:east/a/small/ON_DEMAND");
        assertThat(out.toString()).contains("closed by ");
    }

    @Test
    void oneThatIsNotThereIsRefused() {
        assertThat(run("breaker", "close", "--socket", socket.toString(), "pool:none"))
                .isEqualTo(1);
        assertThat(err.toString()).contains("no breaker 'pool:none'").contains("breaker list");
        assertThat(run("breaker")).isEqualTo(2);
    }
}
