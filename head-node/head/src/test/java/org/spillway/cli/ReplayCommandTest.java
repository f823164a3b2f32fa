package org.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.spillway.head.journal.SqliteJournalStore;

/** Output of {@code replay}, and how it ends. */
final class ReplayCommandTest extends AskedHead {
    @Test
    void helpTeachesWithAnExample() {
        assertThat(run("replay", "--help")).isZero();
        golden("help-replay.txt", out.toString());
    }

    @Test
    void whatIsIdenticalIsSuccess() {
        assertThat(ask("replay", "d1", "d3")).isZero();
        assertThat(out.toString()).isEqualTo("2 decisions: 2 identical, 0 differ\n");
    }

    @Test
    void aDifferenceIsShownAndFails() {
        assertThat(ask("replay", "--all")).isEqualTo(1);
        golden("replay.txt", out.toString());
    }

    @Test
    void theLastOnesAreCounted() {
        assertThat(ask("replay", "--last", "1", "--json")).isZero();
        golden("replay.json", out.toString());
    }

    @Test
    void whatIsNotThereIsSaid() {
        assertThat(ask("replay", "d9")).isEqualTo(1);
        assertThat(err.toString()).contains("no decision 'd9'").contains("replay --last 10");
        assertThat(run("replay", "--all", "--journal", folder.resolve("none").toString()))
                .isEqualTo(2);
        assertThat(err.toString()).contains("there is no journal at");
        assertThat(run("replay", "--last", "0")).isEqualTo(2);
        assertThat(run("replay")).isEqualTo(2);
    }

    @Test
    void aJournalNeedsNoHead() {
        Path state = folder.resolve("state");
        SqliteJournalStore.open(state).close();
        assertThat(run("replay", "--all", "--journal", state.toString())).isZero();
        assertThat(out.toString()).isEqualTo("0 decisions: 0 identical, 0 differ\n");
    }
}
