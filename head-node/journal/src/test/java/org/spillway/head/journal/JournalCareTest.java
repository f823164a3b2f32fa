package org.spillway.head.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.JournalReport.Damage;
import org.spillway.head.journal.JournalStore.Transition;
import org.spillway.head.past.StateIdFile;

/** Backups, and what is done with them and with a damaged journal: finding M8. */
final class JournalCareTest {
    private static final Instant NOW = Instant.parse("2026-11-23T12:00:00Z");
    private static final int JOBS = 200;
    /** Jobs where each page is broken in turn: pages times rows. Fewer than this are not many pages. */
    private static final int FEWER_JOBS = 80;

    @TempDir
    Path folder;

    private Path state = Path.of("");
    private Path copy = Path.of("");

    @BeforeEach
    void place() {
        state = folder.resolve("state");
        copy = folder.resolve("copy.db");
    }

    private SqliteJournalStore open() {
        return SqliteJournalStore.open(state, false, NOW);
    }

    private static void submit(JournalStore store, int count) {
        for (int i = 0; i < count; i++) {
            JobRecord job = Entries.fresh(Long.toString(store.nextSequence()));
            store.write(NOW, List.of(job), List.of(new Transition(NOW, "job", job.id(), "", job.state(), Cause.NONE)));
        }
    }

    private void filled() {
        filled(JOBS);
    }

    private void filled(int jobs) {
        try (SqliteJournalStore store = open()) {
            submitAtOnce(store, jobs);
        }
    }

    /** In one write: a disk is waited for once. */
    private static void submitAtOnce(JournalStore store, int count) {
        List<Entry> jobs = new ArrayList<>();
        List<Transition> transitions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            JobRecord job = Entries.fresh(Long.toString(store.nextSequence()));
            jobs.add(job);
            transitions.add(new Transition(NOW, "job", job.id(), "", job.state(), Cause.NONE));
        }
        store.write(NOW, jobs, transitions);
    }

    private JournalReport backup() {
        return JournalBackup.write(state, copy, false, JournalBackup.Watch.NONE);
    }

    @Test
    void aRunningHeadsJournalIsCopiedAsItIsAtOneMoment() throws Exception {
        try (SqliteJournalStore store = open()) {
            submit(store, 20);
            Thread writer = Thread.ofPlatform().start(() -> submit(store, JOBS));
            JournalReport report = backup();
            writer.join();
            assertThat(report.isWhole()).isTrue();
            assertThat(report.records()).isBetween(20L, 20L + JOBS);
            assertThat(report.lines()).isEqualTo(report.records());
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(copy)))
                .isEqualTo("rw-------");
        try (var inside = Files.list(folder)) {
            assertThat(inside).containsExactlyInAnyOrder(state, copy);
        }
    }

    @Test
    void aBackupReplacesNothingUnlessItIsTold() throws IOException {
        filled();
        Files.writeString(copy, "mine");
        assertThatThrownBy(this::backup).isInstanceOf(JournalFailure.class).hasMessageContaining("is there already");
        assertThat(copy).hasContent("mine");
        JournalBackup.write(state, copy, true, JournalBackup.Watch.NONE);
        assertThat(JournalCheck.of(copy, rows -> {}).records()).isEqualTo(JOBS);
        assertThatThrownBy(
                        () -> JournalBackup.write(state, state.resolve("journal.db"), true, JournalBackup.Watch.NONE))
                .hasMessageContaining("would replace the journal itself");
        assertThatThrownBy(() ->
                        JournalBackup.write(state, folder.resolve("none/copy.db"), true, JournalBackup.Watch.NONE))
                .hasMessageContaining("is not there: make it");
    }

    @Test
    void aBackupThatIsGivenUpLeavesNothing() throws IOException {
        filled();
        JournalBackup.Watch stopped = new JournalBackup.Watch() {
            @Override
            public boolean isStopped() {
                return true;
            }
        };
        try (SqliteJournalStore store = open()) {
            submitAtOnce(store, 1000);
        }
        assertThatThrownBy(() -> JournalBackup.write(state, copy, false, stopped))
                .hasMessageContaining("given up");
        try (var inside = Files.list(folder)) {
            assertThat(inside).containsExactly(state);
        }
    }

    @Test
    void aDamagedRowIsNamedByTableAndKeyAndNoBackupIsMadeOfIt() throws SQLException {
        filled();
        change("UPDATE entry SET body = substr(body, 1, 100) WHERE id = '7'");
        change("UPDATE entry SET state = 'RUNNING' WHERE id = '8'");
        change("UPDATE transition SET cause = 'x' WHERE id = '9'");
        change("UPDATE counter SET value = 3 WHERE name = 'sequence'");
        JournalReport report = JournalCheck.of(journal(), rows -> {});
        assertThat(report.damages())
                .extracting(Damage::table, Damage::key)
                .containsExactlyInAnyOrder(
                        org.assertj.core.groups.Tuple.tuple("entry", "job 7"),
                        org.assertj.core.groups.Tuple.tuple("entry", "job 8"),
                        org.assertj.core.groups.Tuple.tuple("transition", "9"),
                        org.assertj.core.groups.Tuple.tuple("counter", "sequence"));
        assertThatThrownBy(this::backup).hasMessageContaining("cannot be backed up, it is damaged: entry job 7");
        assertThat(copy).doesNotExist();
    }

    @Test
    void aNodeWithoutItsIntentAndAJobWithoutItsNodeAreNamed() {
        try (SqliteJournalStore store = open()) {
            store.write(NOW, List.of(Entries.node("n1", NodeState.READY)), List.of());
        }
        assertThat(JournalCheck.of(journal(), rows -> {}).damages())
                .containsExactly(new Damage("reference", "node n1", "it needs intent i1, which is not there"));
    }

    @Test
    void aRestoredCopyStartsInQuarantineEvenIfItLacksNothing() throws IOException {
        filled();
        backup();
        JournalRestore.Restored restored = JournalRestore.write(state, copy, NOW, rows -> {});
        assertThat(restored.aside()).isEqualTo(state.resolve("journal.db.before-20261123T120000Z"));
        assertThat(JournalCheck.of(restored.aside(), rows -> {}).records()).isEqualTo(JOBS);
        try (SqliteJournalStore store = open()) {
            assertThat(store.standing().quarantined()).isTrue();
            assertThat(store.job("7")).isPresent();
            assertThat(store.nextSequence()).isGreaterThan(JOBS);
        }
        assertThat(new StateIdFile(state).read().orElseThrow().epoch()).isEqualTo(2);
    }

    @Test
    void aCopyIsNotRestoredUnderAHeadNorOverAnotherState() throws IOException {
        filled();
        backup();
        try (SqliteJournalStore store = open()) {
            assertThat(store.job("1")).isPresent();
            assertThatThrownBy(() -> JournalRestore.write(state, copy, NOW, rows -> {}))
                    .hasMessageContaining("another head uses the state directory");
        }
        Path other = folder.resolve("other");
        SqliteJournalStore.open(other, false, NOW).close();
        byte[] before = Files.readAllBytes(other.resolve("journal.db"));
        assertThatThrownBy(() -> JournalRestore.write(other, copy, NOW, rows -> {}))
                .hasMessageContaining("is of another state");
        assertThat(other.resolve("journal.db")).hasBinaryContent(before);
        Files.write(copy, new byte[] {1, 2, 3});
        assertThatThrownBy(() -> JournalRestore.write(state, copy, NOW, rows -> {}))
                .hasMessageContaining("is damaged and was not restored");
    }

    /** The log of the old journal beside the copy would be taken for the copy's. */
    @Test
    void aRestoreTakesTheLogOfAKilledHeadAway() throws IOException {
        Path killed = folder.resolve("killed");
        try (SqliteJournalStore store = open()) {
            submit(store, 10);
            JournalBackup.write(state, copy, false, JournalBackup.Watch.NONE);
            submit(store, 10);
            Files.createDirectories(killed.resolve("secrets"));
            for (String file : List.of("journal.db", "journal.db-wal", "journal.db-shm", "secrets/state-id")) {
                Files.copy(state.resolve(file), killed.resolve(file));
            }
        }
        JournalRestore.Restored restored = JournalRestore.write(killed, copy, NOW, rows -> {});
        assertThat(JournalCheck.of(restored.aside(), rows -> {}).records()).isEqualTo(20);
        try (SqliteJournalStore store = SqliteJournalStore.open(killed, false, NOW)) {
            assertThat(store.endedJobs(java.util.OptionalInt.empty(), 10)).isEmpty();
            assertThat(store.job("10")).isPresent();
            assertThat(store.job("11")).isEmpty();
            assertThat(store.nextSequence()).isGreaterThan(20);
        }
    }

    @Test
    void oneDamagedRowIsLostByNameAndNoOther() throws SQLException {
        filled();
        change("UPDATE entry SET body = '{' WHERE id = '7'");
        JournalSalvage.Salvaged salvaged = JournalSalvage.write(journal(), copy);
        assertThat(salvaged.lost()).extracting(Damage::key).containsExactly("job 7");
        assertThat(salvaged.report().isWhole()).isTrue();
        assertThat(salvaged.report().records()).isEqualTo(JOBS - 1);
        assertThat(salvaged.report().lines()).isEqualTo(JOBS);
    }

    /** Every page but the first and the inner ones of the tables, each in turn. */
    @Test
    void aPageThatCannotBeReadLosesItsRowsOnlyAndEachIsNamed() throws Exception {
        filled(FEWER_JOBS);
        List<Long> leaves = leaves();
        assertThat(leaves).hasSizeGreaterThan(20);
        // Side by side, as each waits for the disk; an assertion that fails comes back from the stream.
        leaves.parallelStream().forEach(this::assertThatAPageLosesItsRowsOnly);
    }

    private void assertThatAPageLosesItsRowsOnly(long page) {
        Path broken = folder.resolve("broken-" + page + ".db");
        try {
            Files.copy(journal(), broken);
            try (RandomAccessFile file = new RandomAccessFile(broken.toFile(), "rw")) {
                file.seek((page - 1) * 4096);
                file.write(new byte[4096]);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        Path saved = folder.resolve("saved-" + page + ".db");
        assertThat(JournalCheck.of(broken, rows -> {}).isWhole())
                .as("page %d", page)
                .isFalse();
        JournalSalvage.Salvaged salvaged = JournalSalvage.write(broken, saved);
        assertThat(salvaged.report().isWhole()).as("page %d", page).isTrue();
        long lostJobs = salvaged.lost().stream()
                .filter(one -> one.table().equals("entry"))
                .count();
        long lostLines = salvaged.lost().stream()
                .filter(one -> one.table().equals("transition"))
                .count();
        assertThat(salvaged.report().records() + lostJobs).as("page %d", page).isEqualTo(FEWER_JOBS);
        assertThat(salvaged.report().lines() + lostLines).as("page %d", page).isEqualTo(FEWER_JOBS);
        assertThat(lostJobs).as("page %d", page).isLessThan(10);
    }

    @Test
    void aJournalWithATornLastPageIsReadAsFarAsItGoes() throws IOException {
        filled();
        long size = Files.size(journal());
        try (RandomAccessFile file = new RandomAccessFile(journal().toFile(), "rw")) {
            file.setLength(size - 10_000);
        }
        assertThat(JournalCheck.of(journal(), rows -> {}).isWhole()).isFalse();
        JournalSalvage.Salvaged salvaged = JournalSalvage.write(journal(), copy);
        assertThat(salvaged.report().isWhole()).isTrue();
        assertThat(salvaged.report().records()).isGreaterThan(JOBS - 10);
        assertThatThrownBy(() -> JournalSalvage.write(journal(), copy)).hasMessageContaining("is there already");
        assertThatThrownBy(this::open)
                .hasMessageContaining("'spillway state check'")
                .hasMessageContaining("state restore");
    }

    private Path journal() {
        return state.resolve("journal.db");
    }

    private void change(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + journal());
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    private List<Long> leaves() throws SQLException {
        List<Long> pages = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + journal());
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT pageno FROM dbstat WHERE pagetype <> 'internal'"
                        + " AND name IN ('entry', 'transition', 'submission', 'entry_live', 'transition_of')")) {
            while (rows.next()) {
                pages.add(rows.getLong(1));
            }
        }
        return pages;
    }
}
