package org.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Nodes and decisions explained. */
final class ExplainCommandTest extends AskedHead {
    @Test
    void aDecisionIsExplained() {
        assertThat(ask("explain", "d1")).isZero();
        golden("explain-decision.txt", out.toString().replaceAll("at \\d{4}-\\d\\d-\\d\\d \\d\\d", "at DAY HOUR"));
        assertThat(out.toString()).doesNotContain("\u001b");
    }

    @Test
    void aNodeIsExplained() {
        assertThat(ask("explain", "east-1")).isZero();
        assertThat(out.toString()).isEqualTo("bought at 12:00:00 by decision d1: 2 jobs wait; runs job 2\n");
    }

    @Test
    void whatIsNotThereIsSaid() {
        assertThat(ask("explain", "east-9")).isEqualTo(1);
        assertThat(err.toString()).contains("no node 'east-9'");
        assertThat(ask("explain", "d9")).isEqualTo(1);
        assertThat(err.toString()).contains("no decision 'd9'");
    }
}
