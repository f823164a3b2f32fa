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
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.JobState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.ClusterCause.ClusterFact;
import org.spillway.head.cause.JobCause;
import org.spillway.head.cause.JobCause.JobFact;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.cause.Told;
import org.spillway.head.journal.JournalStore.Transition;
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
                                    + " has schema 99, this release knows up to 5: use the release that wrote it, or a newer one");
        }
        assertThat(Files.readAllBytes(state().resolve("journal.db"))).isEqualTo(before);
        execute("PRAGMA user_version = 3");
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
        execute("UPDATE entry SET body = '" + old.replace("'", "''") + "' WHERE kind = 'decision'");
        assertThat(store.decisions().find("d1"))
                .contains(new DecisionEntry(
                        "d1", decision.snapshot(), decision.plan(), DecisionEntry.Made.UNKNOWN, List.of()));
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
        long bases = Long.parseLong(
                read("SELECT sum(length(body)) FROM entry WHERE kind = 'base'").getFirst());
        long decisions = Long.parseLong(read("SELECT sum(length(body)) FROM entry WHERE kind = 'decision'")
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
        assertThat(read("SELECT id FROM entry WHERE kind = 'base'")).containsExactly("d2");
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
                false);
    }

    private static DecisionEntry with(DecisionEntry like, String id, List<NodeView> nodes) {
        ClusterSnapshot old = like.snapshot();
        ClusterSnapshot snapshot = old.with(draft -> draft.nodes = nodes);
        return new DecisionEntry(id, snapshot, like.plan(), like.made(), like.launches());
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

    /** Intents, breakers, clusters and what children bought had sentences until then. */
    @Test
    void sentencesOfSchemaThreeAreCauses() throws SQLException, IOException {
        store.close();
        Files.delete(state().resolve("journal.db"));
        for (int version = 1; version <= 3; version++) {
            execute(JournalFile.script(version));
        }
        execute(resource("journal-of-schema-3.sql"));
        execute("PRAGMA user_version = 3");
        for (int i = 0; i < 2; i++) {
            store = SqliteJournalStore.open(state());
            Map<String, Cause> causes =
                    store.load(Instant.MIN).stream().collect(Collectors.toMap(Entry::id, Entry::cause));
            assertThat(causes)
                    .containsEntry("i7", new Told("no answer"))
                    .containsEntry(
                            "fleet:east", new Told("4 of the 6 nodes of site east are lost or silent, more than 45 %"))
                    .containsEntry("main-c1", Cause.NONE)
                    .containsEntry("main-c2", ClusterFact.BUDGET_SPENT)
                    .containsEntry("main-c4", new Told("approved by carol"))
                    .containsEntry("main-c5", new Told("stopped by alice"))
                    .containsEntry("main-c6", new Told("stage head-install: no space left"))
                    .containsValue(new Told("connection reset"))
                    .hasSize(9);
            Map<String, ClusterRecord> clusters = store.load(Instant.MIN).stream()
                    .filter(ClusterRecord.class::isInstance)
                    .map(ClusterRecord.class::cast)
                    .collect(Collectors.toMap(ClusterRecord::id, one -> one));
            assertThat(clusters.get("main-c6").failure()).isEqualTo(new Told("stage head-install: no space left"));
            assertThat(clusters.get("main-c1").approval()).isNull();
            assertThat(clusters.get("main-c4").approval().why())
                    .isEqualTo(new Told("nodes: found 2; at most 1 together"));
            assertThat(store.timeline("intent", "i7"))
                    .extracting(Transition::cause)
                    .containsExactly(NodeFact.NODES_KEPT);
            assertThat(store.timeline("node", "east-3"))
                    .extracting(Transition::cause)
                    .containsExactly(new NodeCause.PoweredOn(NodeFact.BY_HAND));
            assertThat(schema()).isEqualTo(resource("schema-5.txt"));
            store.close();
        }
        store = SqliteJournalStore.open(state());
    }

    /** A journal in the field has this schema for ever: a change of it is a new version with a migration. */
    @Test
    void schemaFiveIsTheOneInTheField() throws SQLException, IOException {
        String found = schema();
        if (Boolean.getBoolean("golden.update")) {
            Files.writeString(Path.of("src/test/resources/org/spillway/head/journal/schema-5.txt"), found);
        }
        assertThat(found).isEqualTo(resource("schema-5.txt"));
        assertThat(read("PRAGMA user_version")).containsExactly("5");
    }

    /** Written by the first release, with its own bodies. */
    @Test
    void aJournalOfSchemaOneIsTakenOver() throws SQLException, IOException {
        store.close();
        Files.delete(state().resolve("journal.db"));
        execute(JournalFile.script(1));
        assertThat(schema()).isEqualTo(resource("schema-1.txt"));
        execute(resource("journal-of-schema-1.sql"));
        execute("PRAGMA user_version = 1");
        // Twice: what was taken over once is as good as written by this release.
        for (int i = 0; i < 2; i++) {
            store = SqliteJournalStore.open(state());
            assertThat(schema()).isEqualTo(resource("schema-5.txt"));
            assertThat(read("PRAGMA user_version")).containsExactly("5");
            assertThat(store.load(Instant.MIN))
                    .extracting(entry -> entry.kind() + " " + entry.id() + " " + entry.state())
                    .containsExactlyInAnyOrder(
                            "job 1 SUBMITTED",
                            "job 3 RUNNING",
                            "job 8 STAGING_OUT",
                            "node n0 TERMINATED",
                            "node n1 READY",
                            "intent i1 SETTLED",
                            "intent i2 CALLED",
                            "launch i1 Launched",
                            "launch i3 Refused");
            assertThat(store.endedJobs(OptionalInt.of(1001), 10))
                    .isEqualTo(store.endedJobs(OptionalInt.empty(), 10))
                    .extracting(JobRecord::id)
                    .containsExactly("7", "2");
            assertTakenOver();
            assertThat(store.timeline("job", "2")).hasSize(2);
            assertThat(store.nextSequence()).isEqualTo(18 + i);
            store.close();
        }
        store = SqliteJournalStore.open(state());
    }

    /**
     * Written by 7b3e1e2 while jobs ran, waited and were refused, and a node was powered on. Whatever steers the loop is a cause
     * now; all other sentences are as they were.
     */
    @Test
    void sentencesOfSchemaTwoAreCauses() throws SQLException, IOException {
        store.close();
        Files.delete(state().resolve("journal.db"));
        execute(JournalFile.script(1));
        execute(JournalFile.script(2));
        execute(resource("journal-of-schema-2.sql"));
        execute("PRAGMA user_version = 2");
        for (int i = 0; i < 2; i++) {
            store = SqliteJournalStore.open(state());
            Map<String, Cause> causes = store.load(Instant.MIN).stream()
                    .filter(entry -> entry instanceof JobRecord || entry instanceof NodeRecord)
                    .collect(Collectors.toMap(Entry::id, Entry::cause));
            assertThat(causes)
                    .containsEntry("2", Cause.NONE)
                    .containsEntry("3", new Told("waits for job 2 (SUBMITTED)"))
                    .containsEntry("slurm-100-1767600000", new Told("JobHeldUser"))
                    .containsEntry("slurm-101-1767600000", new Told("on site1-3"))
                    .containsEntry("slurm-102-1767600000", JobFact.RUNS_ELSEWHERE)
                    .containsEntry("slurm-103-1767600000", new JobCause.Unstageable("/home/u/in: no such file"))
                    .containsEntry("slurm-104-1767600000", new JobCause.NodeRefused("no user u here"))
                    .containsEntry(
                            "east-3",
                            new NodeCause.PoweredOn(
                                    new NodeCause.Planned("3 jobs wait, the oldest since 2026-01-05T08:00:25.400Z")))
                    .containsEntry("site1-9", NodeFact.NOT_HEARD)
                    .hasSize(14);
            JobRun refused = store.job("slurm-104-1767600000").orElseThrow().run();
            assertThat(refused.refusal()).contains(new JobCause.NodeRefused("no user u here"));
            assertThat(store.job("1").orElseThrow().run().exitCode()).isZero();
            List<Transition> lines = store.timeline("node", "east-3");
            assertThat(lines).extracting(Transition::to).contains("STOPPED", "BOOTING");
            assertThat(lines.getLast().cause()).isInstanceOf(NodeCause.PoweredOn.class);
            assertThat(lines.getLast().reason()).startsWith("powered on: 3 jobs wait");
            assertThat(lines)
                    .filteredOn(line -> line.to().equals("STOPPED"))
                    .extracting(Transition::reason)
                    .allMatch(reason -> reason.startsWith("powered off: idle since"));
            store.close();
        }
        store = SqliteJournalStore.open(state());
    }

    /** A job that has ended keeps what is known of it; one under way is staged and, if it must be, run again. */
    private void assertTakenOver() {
        JobRecord running = store.jobByKey(1001, "key-3").orElseThrow();
        assertThat(running.spec().sites()).containsExactly("here");
        assertThat(running.spec().owner()).isEqualTo(new JobSpec.Owner("alice", 1001, 1002));
        assertThat(running.spec().program().arguments()).containsExactly("a b", "", "--x='1'");
        assertThat(running.spec().resources()).isEqualTo(Entries.RESOURCES);
        assertThat(running.spec().inputs()).containsExactly(new JobSpec.Input("/home/alice/in put.bin", ""));
        assertThat(running.spec().outputs())
                .containsExactly(
                        new JobSpec.Output("out", "/home/alice/out", false, false),
                        new JobSpec.Output("b/c", "/home/alice/c", false, false));
        assertThat(running.spec().data().folder()).isEqualTo("/home/alice");
        assertThat(running.run().attempt()).isEqualTo(3);
        assertThat(running.run().ranks()).containsExactly(new JobRun.Rank("n1", null, false));
        assertThat(Objects.requireNonNull(running.run().staged()).store()).isEmpty();
        JobRun done = store.job("7").orElseThrow().run();
        assertThat(done.exitCode()).isZero();
        assertThat(done.startedAt()).isEqualTo(Entries.NOW.minusSeconds(60));
        assertThat(done.published()).isEqualTo(new JobRun.Published(List.of("b/c"), 1, 7));
        JobRun ended = store.job("8").orElseThrow().run();
        assertThat(ended.exitCode()).isEqualTo(143);
        assertThat(ended.home()).isFalse();
        assertThat(Objects.requireNonNull(ended.ranks().getFirst().end()).store())
                .isEmpty();
    }

    private String schema() throws SQLException {
        return String.join(";\n", read("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type DESC, name"))
                + ";\n";
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = SqliteJournalStoreTest.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Numbers that a killed head had left of its block are lost, and not given again. */
    @Test
    void theNumbersOfABlockAreDurableBeforeTheFirstIsGiven() throws SQLException {
        long first = store.nextSequence();
        for (int i = 0; i < 250; i++) {
            long given = store.nextSequence();
            assertThat(given).isEqualTo(first + i + 1);
            long onDisk = Long.parseLong(
                    read("SELECT value FROM counter WHERE name = 'sequence'").getFirst());
            assertThat(onDisk).isGreaterThanOrEqualTo(given);
        }
    }

    @Test
    void numbersThatAreReservedTogetherAreDurableTogether() throws SQLException {
        store.reserve(40);
        long first = store.nextSequence();
        store.reserve(1000);
        long onDisk = Long.parseLong(
                read("SELECT value FROM counter WHERE name = 'sequence'").getFirst());
        assertThat(onDisk).isGreaterThanOrEqualTo(first + 1000);
        for (int i = 1; i <= 1000; i++) {
            assertThat(store.nextSequence()).isEqualTo(first + i);
        }
        assertThat(read("SELECT value FROM counter WHERE name = 'sequence'")).containsExactly(Long.toString(onDisk));
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
