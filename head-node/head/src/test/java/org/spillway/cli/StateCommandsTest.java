package org.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.spillway.head.journal.SqliteJournalStore;

/** Commands on a state directory without a head. */
final class StateCommandsTest extends AskedHead {
    private static final Instant NOW = Instant.parse("2026-11-23T12:00:00Z");
    private Path state = Path.of("");
    private String config = "";
    private String copy = "";

    @BeforeEach
    void stopped() throws IOException {
        state = folder.resolve("state");
        config = Files.writeString(folder.resolve("spillway.yaml"), "state: " + state + "\n")
                .toString();
        copy = folder.resolve("copy.db").toString();
        SqliteJournalStore.open(state, false, NOW).close();
    }

    private void change(String sql) throws SQLException {
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + state.resolve("journal.db"));
                var statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    @Test
    void aStoppedHeadsJournalIsBackedUpCheckedAndRestored() {
        assertThat(run("backup", copy, "--config", config)).as(err.toString()).isZero();
        assertThat(out.toString()).startsWith(copy + ": 0 records, ").endsWith("read back as a whole\n");
        assertThat(run("backup", copy, "--config", config)).isEqualTo(CliFailure.FAILED);
        assertThat(err.toString()).contains("is there already and was left as it is");
        assertThat(run("state", "check", copy)).isZero();
        assertThat(out.toString()).contains("Every page and every record can be read.");
        assertThat(run("state", "restore", copy, "--config", config)).isEqualTo(CliFailure.BAD_INPUT);
        assertThat(err.toString()).contains("say --yes");
        assertThat(run("state", "restore", copy, "--config", config, "--yes")).isZero();
        assertThat(out.toString()).contains("starts in quarantine").contains("journal.db.before-");
        try (var store = SqliteJournalStore.open(state, false, NOW)) {
            assertThat(store.standing().quarantined()).isTrue();
            assertThat(run("state", "restore", copy, "--config", config, "--yes"))
                    .isEqualTo(CliFailure.FAILED);
            assertThat(err.toString()).contains("another head uses the state directory");
            assertThat(run("backup", copy, "--config", config, "--replace")).isEqualTo(CliFailure.FAILED);
        }
    }

    @Test
    void aDamageIsShownByTableAndKeyAndSalvagedAround() throws SQLException {
        change(
                "INSERT INTO transition (at, kind, id, from_state, to_state, cause) VALUES (1, 'job', '1', '', 'X', '{')");
        assertThat(run("state", "check", state.toString())).isEqualTo(CliFailure.FAILED);
        assertThat(out.toString())
                .contains("transition  1")
                .contains("1 damage.")
                .contains("state salvage");
        assertThat(run("state", "check", state.toString(), "--json")).isEqualTo(CliFailure.FAILED);
        assertThat(out.toString()).contains("\"table\" : \"transition\"");
        assertThat(run("backup", copy, "--config", config)).isEqualTo(CliFailure.FAILED);
        assertThat(err.toString()).contains("cannot be backed up, it is damaged: transition 1");
        assertThat(run("state", "salvage", state.resolve("journal.db").toString(), copy))
                .isZero();
        assertThat(out.toString()).contains("1 lost, named above").contains("spillway state restore " + copy);
        assertThat(run("state", "check", copy)).isZero();
        assertThat(run("state", "check", folder.resolve("none").toString())).isEqualTo(CliFailure.FAILED);
    }

    @Test
    void aHeadIsAskedWhereOneAnswers() {
        assertThat(ask("backup", copy)).isEqualTo(CliFailure.FAILED);
        assertThat(err.toString()).contains("this head makes no backups");
    }
}
