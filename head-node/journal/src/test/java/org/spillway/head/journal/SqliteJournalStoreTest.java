package org.spillway.head.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.JobState;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;

/** The contract on a real file, and what only a file can do wrong. */
final class SqliteJournalStoreTest extends JournalStoreContract {
    @TempDir
    Path folder;

    private Path state() {
        return folder.resolve("state");
    }

    private RawJournal raw() {
        return new RawJournal(state());
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
        assertThat(raw().read("SELECT count(*) FROM entry")).containsExactly("1");
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
        raw().execute("PRAGMA user_version = 99");
        byte[] before = Files.readAllBytes(state().resolve("journal.db"));
        // Twice: the first refusal must not keep the lock.
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> SqliteJournalStore.open(state()))
                    .isInstanceOf(JournalFailure.class)
                    .hasMessage(
                            "the journal " + state().resolve("journal.db")
                                    + " has schema 99, this release knows up to 6: use the release that wrote it, or a newer one");
        }
        assertThat(Files.readAllBytes(state().resolve("journal.db"))).isEqualTo(before);
        raw().execute("PRAGMA user_version = " + JournalFile.SCHEMA);
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
        raw().execute("UPDATE entry SET body = '{\"id\":'");
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
    void aDecisionIsOnDiskWholeForAReplay() throws SQLException {
        DecisionEntry decision = Entries.decision("d1");
        store.write(NOW, List.of(decision), List.of());
        assertThat(store.decisions().find("d1")).contains(decision);
        assertThat(store.decisions().at(NOW)).contains(decision);
        assertThat(store.decisions().latest(9))
                .containsExactly(new DecisionLog.Line("d1", NOW.truncatedTo(ChronoUnit.MILLIS)));
    }

    @Test
    void aDecisionOfAnEarlierReleaseIsReadAsItWasMeant() throws SQLException {
        DecisionEntry decision = Entries.decision("d1");
        store.write(NOW, List.of(decision), List.of());
        String text = EntryJson.write(decision);
        String old = text.substring(0, text.indexOf(",\"made\"")) + "}";
        raw().execute("UPDATE entry SET body = '" + old.replace("'", "''") + "' WHERE kind = 'decision'");
        assertThat(store.decisions().find("d1"))
                .contains(new DecisionEntry(
                        "d1", decision.snapshot(), decision.plan(), DecisionEntry.Made.UNKNOWN, List.of(), false));
    }

    /** Ten thousand nodes of which ten change between two decisions. */
    @Test
    void whatHasNotChangedIsNotStoredAgain() throws SQLException {
        DecisionEntry like = Entries.decision("d");
        List<NodeView> nodes = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            nodes.add(node(i, NOW.plusMillis(i * 7919L)));
        }
        for (int i = 0; i < 50; i++) {
            for (int changed = 0; changed < 10; changed++) {
                nodes.set(i * 10 + changed, node(i * 10 + changed, NOW.plusSeconds(i)));
            }
            store.write(NOW.plusSeconds(i), List.of(with(like, "d" + i, nodes)), List.of());
        }
        long whole = EntryJson.write(with(like, "d", nodes)).length();
        long bases = Long.parseLong(raw().read("SELECT sum(length(body)) FROM entry WHERE kind = 'base'")
                .getFirst());
        long decisions = Long.parseLong(raw().read("SELECT sum(length(body)) FROM entry WHERE kind = 'decision'")
                .getFirst());
        System.out.println("a decision over 10,000 nodes: " + whole + " bytes; 50 of them: " + bases + " of bases, "
                + decisions + " beside them");
        assertThat(whole).isGreaterThan(3_000_000);
        assertThat(bases + decisions).as("of fifty decisions").isLessThan(whole / 3);
        assertThat(decisions / 50).as("of each").isLessThan(10_000);
        store = reopen(store);
        assertThat(store.decisions().find("d49")).contains(with(like, "d49", nodes));
        assertThat(store.decisions().find("d0")).isPresent();
    }

    @Test
    void aBaseStaysWhileADecisionNeedsIt() throws SQLException {
        store.write(NOW, List.of(Entries.decision("d0")), List.of());
        store.write(NOW.plusSeconds(1), List.of(Entries.decision("d1")), List.of());
        store = reopen(store);
        store.write(NOW.plusSeconds(2), List.of(Entries.decision("d2")), List.of());
        assertThat(store.prune(NOW.plusSeconds(1), 100)).isEqualTo(1);
        assertThat(store.decisions().find("d1")).contains(Entries.decision("d1"));
        assertThat(store.prune(NOW.plusSeconds(2), 100)).isEqualTo(1);
        assertThat(raw().read("SELECT id FROM entry WHERE kind = 'base'")).containsExactly("d2");
        assertThat(store.prune(NOW.plusSeconds(3), 100)).isEqualTo(1);
        store.write(NOW.plusSeconds(4), List.of(Entries.decision("d4")), List.of());
        assertThat(store.decisions().find("d4")).contains(Entries.decision("d4"));
    }

    private static NodeView node(int number, Instant since) {
        return new NodeView(
                "here-" + number * 31 + "-0",
                "here",
                Entries.OFFERING,
                NodeView.Phase.IDLE,
                Entries.RESOURCES,
                Entries.RESOURCES,
                since,
                Money.parse("1.5"),
                false,
                NodeView.Duty.NONE);
    }

    private static DecisionEntry with(DecisionEntry like, String id, List<NodeView> nodes) {
        ClusterSnapshot old = like.snapshot();
        ClusterSnapshot snapshot = old.with(draft -> draft.nodes = nodes);
        return new DecisionEntry(id, snapshot, like.plan(), like.made(), like.launches(), false);
    }

    @Test
    void aBodyOfALaterReleaseWithAFieldMoreIsStillRead() throws SQLException {
        JobRecord job = Entries.job("1", JobState.RUNNING);
        store.write(NOW, List.of(job), List.of());
        store.close();
        raw().execute("UPDATE entry SET body = json_insert(body, '$.colour', 'blue', '$.spec.colour', 'red')");
        store = SqliteJournalStore.open(state());
        assertThat(store.load(Instant.MIN)).containsExactly(job);
    }

    /** Numbers that a killed head had left of its block are lost, and not given again. */
    @Test
    void theNumbersOfABlockAreDurableBeforeTheFirstIsGiven() throws SQLException {
        long first = store.nextSequence();
        for (int i = 0; i < 250; i++) {
            long given = store.nextSequence();
            assertThat(given).isEqualTo(first + i + 1);
            long onDisk = Long.parseLong(raw().read("SELECT value FROM counter WHERE name = 'sequence'")
                    .getFirst());
            assertThat(onDisk).isGreaterThanOrEqualTo(given);
        }
    }

    @Test
    void numbersThatAreReservedTogetherAreDurableTogether() throws SQLException {
        store.reserve(40);
        long first = store.nextSequence();
        store.reserve(1000);
        long onDisk = Long.parseLong(
                raw().read("SELECT value FROM counter WHERE name = 'sequence'").getFirst());
        assertThat(onDisk).isGreaterThanOrEqualTo(first + 1000);
        for (int i = 1; i <= 1000; i++) {
            assertThat(store.nextSequence()).isEqualTo(first + i);
        }
        assertThat(raw().read("SELECT value FROM counter WHERE name = 'sequence'"))
                .containsExactly(Long.toString(onDisk));
    }

    @Test
    void anOrderlyStopLeavesNoGap() {
        long last = store.nextSequence();
        store = reopen(store);
        assertThat(store.nextSequence()).isEqualTo(last + 1);
    }

    /** A long listing must not hold up the head's commits. */
    @Test
    void aReaderInTheMidstOfItSeesItsOwnMomentAndHoldsNobodyUp() throws SQLException {
        store.write(NOW, List.of(Entries.fresh("1")), List.of());
        try (Connection slow = DriverManager.getConnection("jdbc:sqlite:" + state().resolve("journal.db"));
                Statement statement = slow.createStatement();
                ResultSet rows = statement.executeQuery("SELECT id FROM entry")) {
            rows.next();
            store.write(NOW, List.of(Entries.fresh("2")), List.of());
            assertThat(store.job("2")).isPresent();
        }
    }
}
