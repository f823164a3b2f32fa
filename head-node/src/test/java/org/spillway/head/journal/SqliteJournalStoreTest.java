package org.spillway.head.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.head.lifecycle.JobState;
import org.spillway.head.lifecycle.NodeState;

/** The contract on a real file, and what only a file can do wrong. */
final class SqliteJournalStoreTest extends JournalStoreContract {
    @TempDir
    Path folder;

    private Path state() {
        return folder.resolve("state");
    }

    @Override
    JournalStore create() {
        return SqliteJournalStore.open(state());
    }

    @Override
    JournalStore reopen(JournalStore before) {
        before.close();
        return SqliteJournalStore.open(state());
    }

    @Test
    void aCommitIsOnDiskWhenItReturns() throws SQLException {
        assertThat(((SqliteJournalStore) store).pragma("journal_mode")).isEqualTo("wal");
        // 2 is FULL: the log is synced at each commit.
        assertThat(((SqliteJournalStore) store).pragma("synchronous")).isEqualTo("2");
        store.write(NOW, List.of(Entries.fresh("1")), List.of());
        assertThat(read("SELECT count(*) FROM entry")).containsExactly("1");
    }

    @Test
    void onlyItsOwnerReadsIt() throws IOException {
        store.write(NOW, List.of(Entries.fresh("1")), List.of());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(state())))
                .isEqualTo("rwx--x--x");
        try (Stream<Path> files = Files.list(state())) {
            assertThat(files)
                    .hasSizeGreaterThanOrEqualTo(3)
                    .allSatisfy(file -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                            .as("%s", file)
                            .isEqualTo("rw-------"));
        }
    }

    @Test
    void aSecondOneInThisProcessIsRefused() {
        assertThatThrownBy(() -> SqliteJournalStore.open(state()))
                .isInstanceOf(JournalFailure.class)
                .hasMessage("another head uses the state directory " + state()
                        + ": stop it first, or give this one its own 'state:'");
        // Refusing must not have let go of the first one's lock.
        assertThatThrownBy(() -> SqliteJournalStore.open(state())).isInstanceOf(JournalFailure.class);
        store.write(NOW, List.of(Entries.fresh("1")), List.of());
        assertThat(store.job("1")).isPresent();
    }

    @Test
    void aNewerSchemaIsRefusedAndLeftAsItIs() throws SQLException, IOException {
        store.close();
        execute("PRAGMA user_version = 99");
        byte[] before = Files.readAllBytes(state().resolve("journal.db"));
        // Twice: the first refusal must not keep the lock.
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> SqliteJournalStore.open(state()))
                    .isInstanceOf(JournalFailure.class)
                    .hasMessage(
                            "the journal " + state().resolve("journal.db")
                                    + " has schema 99, this release knows up to 1: use the release that wrote it, or a newer one");
        }
        assertThat(Files.readAllBytes(state().resolve("journal.db"))).isEqualTo(before);
        execute("PRAGMA user_version = 1");
        store = SqliteJournalStore.open(state());
    }

    @Test
    void aFileThatIsNoJournalIsRefusedAndLeftAsItIs() throws IOException {
        store.close();
        Path file = state().resolve("journal.db");
        byte[] noise =
                "this is not a database, but somebody's letter\n".repeat(200).getBytes(StandardCharsets.UTF_8);
        Files.write(file, noise);
        assertThatThrownBy(() -> SqliteJournalStore.open(state()))
                .isInstanceOf(JournalFailure.class)
                .hasMessageContaining("the journal " + file + " cannot be opened")
                .hasMessageContaining("not a database");
        assertThat(Files.readAllBytes(file)).isEqualTo(noise);
        Files.delete(file);
        store = SqliteJournalStore.open(state());
    }

    @Test
    void aTornBodyIsToldByItsName() throws SQLException {
        store.write(NOW, List.of(Entries.fresh("1")), List.of());
        store.close();
        execute("UPDATE entry SET body = '{\"id\":'");
        store = SqliteJournalStore.open(state());
        assertThatThrownBy(() -> store.load(Instant.MIN))
                .isInstanceOf(JournalFailure.class)
                .hasMessageContaining("the journal's job 1 cannot be read");
    }

    @Test
    void aDirectoryThatCannotBeMadeIsToldByItsName() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "");
        assertThatThrownBy(() -> SqliteJournalStore.open(file.resolve("state")))
                .isInstanceOf(JournalFailure.class)
                .hasMessageContaining("the state directory " + file.resolve("state") + " cannot be used");
    }

    @Test
    void aNodeThatEndedBeforeAllBudgetPeriodsIsNotLoaded() {
        store.write(NOW, List.of(Entries.node("n1", NodeState.TERMINATED)), List.of());
        assertThat(store.load(NOW.plus(Duration.ofDays(40)))).isEmpty();
    }

    @Test
    void onlyTheLatestThousandLaunchesAreLoaded() {
        List<LaunchEntry> all = new ArrayList<>();
        for (int i = 0; i < 1010; i++) {
            all.add(new LaunchEntry("i" + i, Entries.launches().getFirst().launch()));
        }
        for (int i = 0; i < 1010; i += 10) {
            store.write(NOW.plusSeconds(i), all.subList(i, i + 10), List.of());
        }
        assertThat(store.load(Instant.MIN))
                .hasSize(1000)
                .doesNotContain(all.get(3))
                .contains(all.get(1009));
    }

    @Test
    void aDecisionIsOnDiskWholeForAReplay() throws SQLException {
        DecisionEntry decision = Entries.decision("d1");
        store.write(NOW, List.of(decision), List.of());
        assertThat(EntryJson.read(
                        "decision",
                        "d1",
                        read("SELECT body FROM entry WHERE kind = 'decision'").getFirst()))
                .isEqualTo(decision);
    }

    @Test
    void aBodyOfALaterReleaseWithAFieldMoreIsStillRead() throws SQLException {
        JobRecord job = Entries.job("1", JobState.RUNNING);
        store.write(NOW, List.of(job), List.of());
        store.close();
        execute("UPDATE entry SET body = json_insert(body, '$.colour', 'blue', '$.spec.colour', 'red')");
        store = SqliteJournalStore.open(state());
        assertThat(store.load(Instant.MIN)).containsExactly(job);
    }

    @Test
    void anIntentWithoutOpenCallIsLoadedWhileItsNodeLives() {
        IntentRecord settled = Entries.intent("i1", org.spillway.cloud.fleet.Intent.State.SETTLED);
        IntentRecord past = Entries.intent("i2", org.spillway.cloud.fleet.Intent.State.SETTLED);
        NodeRecord node = Entries.node("n1", NodeState.READY);
        store.write(NOW, List.of(settled, past, node), List.of());
        assertThat(store.load(Instant.MIN)).containsExactlyInAnyOrder(settled, node);
    }

    /** A journal in the field has this schema for ever: a change of it is a new version with a migration. */
    @Test
    void schemaOneIsTheOneInTheField() throws SQLException, IOException {
        String found =
                String.join(";\n", read("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type DESC, name"))
                        + ";\n";
        if (Boolean.getBoolean("golden.update")) {
            Files.writeString(Path.of("src/test/resources/org/spillway/head/journal/schema-1.txt"), found);
        }
        try (InputStream golden = SqliteJournalStoreTest.class.getResourceAsStream("schema-1.txt")) {
            assertThat(golden).isNotNull();
            assertThat(found).isEqualTo(new String(golden.readAllBytes(), StandardCharsets.UTF_8));
        }
        assertThat(read("PRAGMA user_version")).containsExactly("1");
    }

    private List<String> read(String sql) throws SQLException {
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + state().resolve("journal.db"));
                Statement statement = other.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> found = new ArrayList<>();
            while (rows.next()) {
                found.add(rows.getString(1));
            }
            return found;
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + state().resolve("journal.db"));
                Statement statement = other.createStatement()) {
            statement.executeUpdate(sql);
        }
    }
}
