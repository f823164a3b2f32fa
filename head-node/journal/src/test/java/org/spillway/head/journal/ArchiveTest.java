package org.spillway.head.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
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
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.ClusterState;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.cloud.fleet.Intent;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.JournalStore.Transition;

/** Old jobs and nodes leave the journal, and are read as before: finding M7. */
@Timeout(600)
final class ArchiveTest {
    private static final Instant NOW = Instant.parse("2026-11-23T12:00:00Z");
    private static final OptionalInt ALL = OptionalInt.empty();

    @TempDir
    Path folder;

    private Path state = Path.of("");
    private SqliteJournalStore store;

    @BeforeEach
    void open() {
        state = folder.resolve("state");
        store = SqliteJournalStore.open(state, false, NOW);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void reopen() {
        store.close();
        store = SqliteJournalStore.open(state, false, NOW);
    }

    private static Instant day(int day) {
        return NOW.plus(Duration.ofDays(day));
    }

    private static void end(JournalStore store, String id, Instant at, int uid) {
        JobRecord fresh = Entries.ofUser(Entries.fresh(id), uid);
        store.write(at, List.of(fresh), List.of(new Transition(at, "job", id, "", "SUBMITTED", Cause.NONE)));
        store.write(
                at,
                List.of(fresh.to(JobState.CANCELLED, Cause.NONE, at)),
                List.of(new Transition(at, "job", id, "SUBMITTED", "CANCELLED", Cause.NONE)));
    }

    /** Numbers as the jobs have them. */
    private void take(int numbers) {
        store.reserve(numbers);
        for (int i = 0; i < numbers; i++) {
            store.nextSequence();
        }
    }

    private static int moveAll(JournalStore store, Instant before) {
        int all = 0;
        for (int some = store.archive(before, before, 1000); some > 0; some = store.archive(before, before, 1000)) {
            all += some;
        }
        return all;
    }

    private List<String> read(String file, String sql) throws SQLException {
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + state.resolve(file));
                Statement statement = other.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> found = new ArrayList<>();
            while (rows.next()) {
                found.add(rows.getString(1));
            }
            return found;
        }
    }

    private List<String> ids(OptionalInt uid, int limit) {
        return store.endedJobs(uid, limit).stream().map(JobRecord::id).toList();
    }

    @Test
    void anOldJobIsReadAsBeforeAndNotInTheJournal() throws SQLException {
        for (int i = 1; i <= 6; i++) {
            end(store, "" + i, day(i), i % 2 == 0 ? 2000 : 1001);
        }
        store.write(day(7), List.of(Entries.fresh("7")), List.of());
        JobRecord before = store.job("2").orElseThrow();
        List<Transition> lines = store.timeline("job", "2");
        assertThat(moveAll(store, day(4))).isEqualTo(3);
        for (int life = 0; life < 2; life++) {
            assertThat(store.job("2")).contains(before);
            assertThat(before.spec().program()).isEqualTo(Entries.spec("k").program());
            assertThat(store.timeline("job", "2")).isEqualTo(lines).hasSize(2);
            assertThat(store.jobByKey(2000, "key-2")).contains(before);
            assertThat(store.jobByKey(1001, "key-2")).isEmpty();
            assertThat(ids(ALL, 10)).containsExactly("6", "5", "4", "3", "2", "1");
            assertThat(ids(ALL, 4)).containsExactly("6", "5", "4", "3");
            assertThat(ids(OptionalInt.of(2000), 10)).containsExactly("6", "4", "2");
            assertThat(store.endedJobs(ALL, day(2), 10)).hasSize(5);
            assertThat(store.load(day(8))).extracting(Entry::id).containsExactly("7");
            reopen();
        }
        assertThat(read("journal.db", "SELECT id FROM entry WHERE kind = 'job' ORDER BY id"))
                .containsExactly("4", "5", "6", "7");
        assertThat(read("journal.db", "SELECT count(*) FROM transition WHERE id IN ('1', '2', '3')"))
                .containsExactly("0");
        assertThat(read("journal.db", "SELECT count(*) FROM submission")).containsExactly("4");
        assertThat(PosixFilePermissions.toString(permissions())).isEqualTo("rw-------");
        assertThat(JournalGlance.endedJobs(state.resolve("journal.db"))).hasSize(6);
    }

    private java.util.Set<java.nio.file.attribute.PosixFilePermission> permissions() {
        try {
            return Files.getPosixFilePermissions(state.resolve("archive.db"));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void anArrayOfWhichSomeIsOldIsWhole() {
        List<Entry> tasks = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int index = i;
            JobRecord task = Entries.fresh("17-" + i);
            task = task.with(task.spec().with(draft -> draft.array = new JobSpec.ArrayTask("17", index, 0)));
            tasks.add(i % 2 == 0 ? task.to(JobState.CANCELLED, Cause.NONE, NOW) : task);
        }
        store.write(NOW, tasks, List.of());
        assertThat(moveAll(store, day(1))).isEqualTo(2);
        assertThat(store.tasks("17")).isEqualTo(tasks);
        assertThat(store.tasks("1")).isEmpty();
    }

    /** A node's cost may count until all budget periods are over; an intent stays as long as a node of it lives. */
    @Test
    void nodesAndIntentsGoWhenNoPeriodReachesThem() {
        store.write(
                NOW,
                List.of(
                        Entries.node("n1", NodeState.TERMINATED),
                        Entries.node("n2", NodeState.READY),
                        Entries.intent("i1", Intent.State.SETTLED),
                        Entries.intent("i2", Intent.State.SETTLED)),
                List.of(new Transition(NOW, "node", "n1", "", "TERMINATED", Cause.NONE)));
        assertThat(store.archive(day(9), day(-1), 1000)).isZero();
        assertThat(store.load(day(-1))).extracting(Entry::id).contains("n1");
        assertThat(moveAll(store, day(1))).isEqualTo(2);
        assertThat(store.load(Instant.EPOCH)).extracting(Entry::id).containsExactlyInAnyOrder("n2", "i1");
        assertThat(store.timeline("node", "n1")).hasSize(1);
        assertThat(JournalCheck.of(state.resolve("journal.db"), rows -> {}).isWhole())
                .isTrue();
    }

    /** As if killed between the two files, again and again. */
    @Test
    void whatIsInBothFilesIsSeenOnceAndMovedOnce() throws SQLException {
        for (int i = 1; i <= 5; i++) {
            end(store, "" + i, day(i), 1001);
        }
        for (int life = 0; life < 3; life++) {
            Archive killed = new Archive(state);
            assertThat(killed.take(day(9), day(9), 1000, 100)).hasSize(5);
            killed.end();
            reopen();
            assertThat(ids(ALL, 10)).containsExactly("5", "4", "3", "2", "1");
            assertThat(store.timeline("job", "3")).hasSize(2);
        }
        // Written once more meanwhile: the copy is the older one.
        JobRecord later = store.job("3").orElseThrow();
        store.write(day(20), List.of(later.with(later.run().withCancelled())), List.of());
        assertThat(moveAll(store, day(9))).isEqualTo(4);
        assertThat(store.job("3").orElseThrow().run().cancelled()).isTrue();
        assertThat(moveAll(store, day(30))).isEqualTo(1);
        assertThat(store.job("3").orElseThrow().run().cancelled()).isTrue();
        assertThat(ids(ALL, 10)).containsExactly("3", "5", "4", "2", "1");
        assertThat(store.timeline("job", "3")).hasSize(2);
        assertThat(read("archive.db", "SELECT count(*) FROM transition")).containsExactly("10");
        assertThat(read("journal.db", "SELECT count(*) FROM transition")).containsExactly("0");
    }

    /** Numbers of lines are given again by a journal that has none left; those of jobs never. */
    @Test
    void anEmptiedJournalGivesNoNumberAgain() {
        List<Long> given = new ArrayList<>();
        for (int round = 0; round < 4; round++) {
            long number = store.nextSequence();
            given.add(number);
            end(store, "" + number, day(round), 1001);
            assertThat(moveAll(store, day(round + 1))).isEqualTo(1);
            reopen();
        }
        assertThat(given).doesNotHaveDuplicates().isSorted();
        given.forEach(number -> assertThat(store.timeline("job", "" + number)).hasSize(2));
        assertThat(JournalCheck.of(state.resolve("archive.db"), rows -> {}).damages())
                .isEmpty();
    }

    @Test
    void aKilledMoverLosesNothingAndDoublesNothing() throws Exception {
        int jobs = 1000;
        int others = 60;
        List<Entry> batch = new ArrayList<>();
        List<Transition> lines = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
            JobRecord job = Entries.fresh("" + i).to(JobState.CANCELLED, Cause.NONE, NOW);
            batch.add(job);
            lines.add(new Transition(NOW, "job", job.id(), "", "CANCELLED", Cause.NONE));
        }
        for (int i = 0; i < others; i++) {
            store.write(NOW.plusMillis(i), List.of(Entries.decision("d" + i)), List.of());
            batch.add(Entries.cluster("c" + i, "c" + i, ClusterState.DELETED, NOW));
        }
        store.write(NOW, batch, lines);
        take(jobs);
        store.close();
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        boolean isDone = false;
        int kills = 0;
        while (!isDone) {
            Process mover = start();
            try (BufferedReader told =
                    new BufferedReader(new InputStreamReader(mover.getInputStream(), StandardCharsets.UTF_8))) {
                int after = random.nextInt(4);
                String line = told.readLine();
                for (; line != null && !line.equals("done") && after > 0; line = told.readLine()) {
                    after -= line.startsWith("moved") ? 1 : 0;
                }
                isDone = line == null || line.equals("done");
                if (!isDone) {
                    for (long until = System.nanoTime() + random.nextInt(20_000_000); System.nanoTime() < until; ) {
                        Thread.onSpinWait();
                    }
                }
                mover.toHandle().destroyForcibly();
                mover.waitFor();
                kills++;
            } finally {
                mover.destroyForcibly();
            }
            store = SqliteJournalStore.open(state, false, NOW);
            assertThat(store.endedJobs(ALL, 2 * jobs)).hasSize(jobs);
            assertThat(store.endedClusters(2 * jobs)).hasSize(others);
            assertThat(store.decisions().latest(2 * jobs))
                    .hasSize(others)
                    .allSatisfy(line ->
                            assertThat(store.decisions().find(line.id())).contains(Entries.decision(line.id())));
            store.close();
        }
        assertThat(kills).isGreaterThan(3);
        store = SqliteJournalStore.open(state, false, NOW);
        assertThat(store.endedJobs(ALL, 2 * jobs))
                .extracting(JobRecord::id)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, jobs).mapToObj(Integer::toString).toList());
        assertThat(read("journal.db", "SELECT count(*) FROM entry WHERE kind <> 'base'"))
                .containsExactly("0");
        assertThat(read("journal.db", "SELECT count(*) FROM entry")).containsExactly("1");
        assertThat(read("archive.db", "SELECT count(*) FROM entry WHERE kind <> 'base'"))
                .containsExactly("" + (jobs + 2 * others));
        assertThat(read("archive.db", "SELECT count(*) FROM transition")).containsExactly("" + jobs);
        assertThat(JournalCheck.of(state.resolve("archive.db"), rows -> {}).isWhole())
                .isTrue();
    }

    private Process start() throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xshare:auto",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:-UsePerfData",
                        "-Xmx128m",
                        "--enable-native-access=ALL-UNNAMED",
                        JournalMover.class.getName(),
                        state.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        Map<String, String> environment = builder.environment();
        environment.put("CLASSPATH", System.getProperty("java.class.path"));
        return builder.start();
    }

    @Test
    void theArchiveIsKeptForAsLongAsIsWanted() throws SQLException {
        for (int i = 1; i <= 6; i++) {
            end(store, "" + i, day(i), 1001);
        }
        assertThat(store.forgetArchived(day(9), day(9))).isZero();
        moveAll(store, day(9));
        assertThat(store.forgetArchived(day(1), day(1))).isZero();
        assertThat(store.forgetArchived(day(5), day(5))).isEqualTo(4);
        assertThat(ids(ALL, 10)).containsExactly("6", "5");
        assertThat(store.timeline("job", "1")).isEmpty();
        assertThat(store.jobByKey(1001, "key-1")).isEmpty();
        assertThat(store.job("6").orElseThrow().spec().program().script()).isNotEmpty();
        assertThat(store.forgetArchived(day(9), day(9))).isEqualTo(2);
        assertThat(read("archive.db", "SELECT count(*) FROM program")).containsExactly("0");
    }

    @Test
    void aBackupHasTheArchiveAndARestorePutsItWhereThereIsNone() throws IOException {
        for (int i = 1; i <= 6; i++) {
            end(store, "" + i, day(i), 1001);
        }
        take(6);
        moveAll(store, day(4));
        Path copy = folder.resolve("copy.db");
        Path old = JournalBackup.archiveOf(copy);
        JournalBackup.write(state, copy, false, JournalBackup.Watch.NONE);
        assertThat(JournalBackup.archive(state, old, false, JournalBackup.Watch.NONE))
                .get()
                .satisfies(report -> assertThat(report.isWhole()).isTrue());
        assertThatThrownBy(() -> JournalBackup.archive(state, old, false, JournalBackup.Watch.NONE))
                .hasMessageContaining("is there already");
        assertThat(JournalBackup.archive(state, old, true, JournalBackup.Watch.NONE))
                .as("as it is")
                .isEmpty();
        moveAll(store, day(5));
        assertThat(JournalBackup.archive(state, old, true, JournalBackup.Watch.NONE))
                .isPresent();
        store.close();
        for (String name : List.of("archive.db", "journal.db")) {
            Files.delete(state.resolve(name));
        }
        JournalRestore.write(state, copy, NOW, rows -> {});
        store = SqliteJournalStore.open(state, false, NOW);
        assertThat(ids(ALL, 10)).containsExactly("6", "5", "4", "3", "2", "1");
        // The state's own has more than any copy, and stays.
        store.close();
        byte[] now = Files.readAllBytes(state.resolve("archive.db"));
        JournalRestore.write(state, copy, NOW.plusSeconds(1), rows -> {});
        assertThat(state.resolve("archive.db")).hasBinaryContent(now);
        store = SqliteJournalStore.open(state, false, NOW);
    }

    @Test
    void aDamagedArchiveIsToldSavedAndNotRestored() throws IOException, SQLException {
        for (int i = 1; i <= 6; i++) {
            end(store, "" + i, day(i), 1001);
        }
        take(6);
        moveAll(store, day(4));
        store.close();
        Path archive = state.resolve("archive.db");
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + archive);
                Statement statement = other.createStatement()) {
            statement.executeUpdate("UPDATE entry SET body = '{' WHERE id = '2'");
        }
        assertThat(JournalCheck.of(archive, rows -> {}).damages())
                .extracting(JournalReport.Damage::key)
                .containsExactly("job 2");
        Path saved = folder.resolve("saved.db");
        JournalSalvage.Salvaged salvaged = JournalSalvage.write(archive, saved);
        assertThat(salvaged.lost()).extracting(JournalReport.Damage::key).containsExactly("job 2");
        assertThat(salvaged.report().isWhole()).isTrue();
        Path copy = folder.resolve("copy.db");
        JournalBackup.write(state, copy, false, JournalBackup.Watch.NONE);
        Files.move(archive, JournalBackup.archiveOf(copy));
        byte[] before = Files.readAllBytes(state.resolve("journal.db"));
        assertThatThrownBy(() -> JournalRestore.write(state, copy, NOW, rows -> {}))
                .hasMessageContaining("of the backup is damaged, and nothing was restored");
        assertThat(state.resolve("journal.db")).hasBinaryContent(before);
        Files.move(saved, archive);
        store = SqliteJournalStore.open(state, false, NOW);
        assertThat(ids(ALL, 10)).containsExactly("6", "5", "4", "3", "1");
    }

    @Test
    void anotherStatesArchiveAndNoiseAreRefused() throws IOException {
        end(store, "1", day(1), 1001);
        moveAll(store, day(4));
        store.close();
        Path other = folder.resolve("other");
        SqliteJournalStore.open(other, false, NOW).close();
        Files.copy(state.resolve("archive.db"), other.resolve("archive.db"));
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> SqliteJournalStore.open(other, false, NOW))
                    .isInstanceOf(JournalFailure.class)
                    .hasMessageContaining("is of another state than the journal beside it");
        }
        Files.writeString(other.resolve("archive.db"), "somebody's letter\n".repeat(500));
        assertThatThrownBy(() -> SqliteJournalStore.open(other, false, NOW))
                .isInstanceOf(JournalFailure.class)
                .hasMessageContaining("move it away: the head starts without one");
        Files.delete(other.resolve("archive.db"));
        SqliteJournalStore.open(other, false, NOW).close();
        store = SqliteJournalStore.open(state, false, NOW);
    }

    /** A start reads what lives, however much is past. */
    @Test
    void theJournalDoesNotGrowWithThePast() throws SQLException {
        long most = 0;
        for (int round = 0; round < 6; round++) {
            List<Entry> batch = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                batch.add(Entries.fresh(round + "x" + i).to(JobState.CANCELLED, Cause.NONE, day(round)));
            }
            store.write(day(round), batch, List.of());
            moveAll(store, day(round + 1));
            long pages = Long.parseLong(read("journal.db", "PRAGMA page_count").getFirst());
            most = round == 0 ? pages : most;
            assertThat(pages)
                    .as("pages of the journal after %d jobs", 500 * (round + 1))
                    .isLessThan(most * 12 / 10);
        }
        assertThat(ids(ALL, 10_000)).hasSize(3000);
        assertThat(ids(ALL, 10)).allMatch(id -> id.startsWith("5x"));
    }
}
