package org.spillway.head.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.ClusterState;
import org.spillway.api.JobFilter;
import org.spillway.api.JobState;
import org.spillway.head.cause.Cause;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;

/** Decisions and clusters on demand of the past leave the journal, and are read as before. */
final class ArchivedPastTest {
    private static final Instant NOW = Instant.parse("2026-11-23T12:00:00Z");
    private static final int MANY = 1000;

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

    private int moveAll(Instant before, int decisions) {
        int all = 0;
        for (int some = 1; some > 0; all += some) {
            some = store.archive(before, before, decisions);
        }
        return all;
    }

    private List<String> ids(String file, String kind) throws SQLException {
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + state.resolve(file));
                Statement statement = other.createStatement();
                ResultSet rows =
                        statement.executeQuery("SELECT id FROM entry WHERE kind = '" + kind + "' ORDER BY id")) {
            List<String> found = new ArrayList<>();
            while (rows.next()) {
                found.add(rows.getString(1));
            }
            return found;
        }
    }

    private void bothFilesAreWhole() {
        for (String file : List.of("journal.db", "archive.db")) {
            assertThat(JournalCheck.of(state.resolve(file), rows -> {}).damages())
                    .as(file)
                    .isEmpty();
        }
    }

    /** So large that a base is worth its place. */
    private static DecisionEntry decision(String id) {
        DecisionEntry like = Entries.decision(id);
        List<NodeView> nodes = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            nodes.add(new NodeView(
                    "here-" + i * 31,
                    "here",
                    Entries.OFFERING,
                    NodeView.Phase.IDLE,
                    Entries.RESOURCES,
                    Entries.RESOURCES,
                    NOW.plusMillis(i * 7919L),
                    Money.parse("1.5"),
                    false,
                    NodeView.Duty.NONE));
        }
        return new DecisionEntry(
                id,
                like.snapshot().with(draft -> draft.nodes = nodes),
                like.plan(),
                like.made(),
                like.launches(),
                false);
    }

    /** As a head with three lives makes them, each of which begins a base. */
    private void sixDecisions() {
        for (int i = 1; i <= 6; i++) {
            store.write(day(i), List.of(decision("d" + i)), List.of());
            if (i % 2 == 0) {
                reopen();
            }
        }
    }

    private static void areAllThere(DecisionLog log) {
        assertThat(log.latest(MANY))
                .extracting(DecisionLog.Line::id)
                .containsExactly("d6", "d5", "d4", "d3", "d2", "d1");
        assertThat(log.latest(5)).extracting(DecisionLog.Line::id).containsExactly("d6", "d5", "d4", "d3", "d2");
        for (int i = 1; i <= 6; i++) {
            assertThat(log.find("d" + i)).contains(decision("d" + i));
            assertThat(log.at(day(i))).contains(decision("d" + i));
        }
        assertThat(log.find("d7")).isEmpty();
    }

    @Test
    void anOldDecisionIsReplayedAsBeforeWithAndWithoutAHead() throws SQLException {
        sixDecisions();
        assertThat(moveAll(day(4), MANY)).isEqualTo(3);
        for (int life = 0; life < 2; life++) {
            areAllThere(store.decisions());
            assertThat(ids("journal.db", "decision")).containsExactly("d4", "d5", "d6");
            assertThat(ids("journal.db", "base")).containsExactly("d3", "d5");
            assertThat(ids("archive.db", "decision")).containsExactly("d1", "d2", "d3");
            assertThat(ids("archive.db", "base")).containsExactly("d1", "d3");
            bothFilesAreWhole();
            reopen();
        }
        try (DecisionFile file = DecisionFile.open(state)) {
            areAllThere(file.decisions());
        }
        Path copy = folder.resolve("copy.db");
        JournalBackup.write(state, copy, false, JournalBackup.Watch.NONE);
        JournalBackup.archive(state, JournalBackup.archiveOf(copy), false, JournalBackup.Watch.NONE);
        try (DecisionFile file = DecisionFile.open(copy)) {
            areAllThere(file.decisions());
        }
    }

    @Test
    void thoseThatAreTooManyGoToTheArchiveAndStayForAsLongAsIsWanted() throws SQLException {
        sixDecisions();
        assertThat(moveAll(NOW, 2)).isEqualTo(4);
        areAllThere(store.decisions());
        assertThat(ids("journal.db", "decision")).containsExactly("d5", "d6");
        assertThat(ids("journal.db", "base")).containsExactly("d5");
        assertThat(store.prune(NOW, 2)).isZero();
        assertThat(store.forgetArchived(NOW, day(3))).isEqualTo(2);
        assertThat(store.forgetArchived(NOW, day(3))).isZero();
        assertThat(ids("archive.db", "base")).containsExactly("d3");
        assertThat(store.decisions().find("d1")).isEmpty();
        assertThat(store.decisions().find("d4")).contains(decision("d4"));
        bothFilesAreWhole();
        store.write(day(7), List.of(decision("d7")), List.of());
        assertThat(moveAll(day(9), 2)).isEqualTo(3);
        reopen();
        assertThat(store.decisions().latest(MANY))
                .extracting(DecisionLog.Line::id)
                .containsExactly("d7", "d6", "d5", "d4", "d3");
        assertThat(store.decisions().find("d7")).contains(decision("d7"));
    }

    /** As if killed between the two files. */
    @Test
    void aDecisionInBothFilesIsOne() throws SQLException {
        sixDecisions();
        for (int life = 0; life < 2; life++) {
            Archive killed = new Archive(state);
            assertThat(killed.take(day(4), day(4), MANY, 100)).hasSize(3);
            killed.end();
            reopen();
            areAllThere(store.decisions());
        }
        assertThat(moveAll(day(4), MANY)).isEqualTo(3);
        areAllThere(store.decisions());
        bothFilesAreWhole();
    }

    @Test
    void anEndedClusterGoesWithItsNoticesWhenNothingThatLivesNamesIt() throws SQLException {
        ClusterRecord old = Entries.cluster("home-c0", "demo", ClusterState.DELETED, NOW);
        ClusterRecord named = Entries.cluster("home-c1", "more", ClusterState.DELETED, NOW);
        ClusterRecord awaited = Entries.cluster("home-c2", "mail", ClusterState.FAILED, NOW);
        ClusterRecord living = Entries.cluster("home-c3", "demo", ClusterState.RUNNING, NOW);
        ClusterRecord later = Entries.cluster("home-c4", "demo", ClusterState.DELETED, day(9));
        NoticeRecord told = Entries.told(old, "ended", NoticeRecord.Status.TOLD);
        store.write(
                NOW,
                List.of(
                        old,
                        named,
                        awaited,
                        living,
                        told,
                        Entries.told(awaited, "failed", NoticeRecord.Status.WAITING),
                        Entries.delegated(DelegatedRecord.State.CALLED)),
                List.of());
        store.write(day(9), List.of(later), List.of());
        assertThat(moveAll(day(5), MANY)).isEqualTo(2);
        for (int life = 0; life < 2; life++) {
            assertThat(ids("archive.db", "cluster")).containsExactly("home-c0");
            assertThat(ids("journal.db", "cluster")).containsExactly("home-c1", "home-c2", "home-c3", "home-c4");
            assertThat(store.endedClusters(MANY)).containsExactlyInAnyOrder(later, old, named, awaited);
            assertThat(store.endedClusters(1)).containsExactly(later);
            assertThat(store.notices("home-c0")).containsExactly(told);
            assertThat(store.notices("home-c")).isEmpty();
            bothFilesAreWhole();
            reopen();
        }
        assertThat(store.forgetArchived(day(1), NOW)).isEqualTo(2);
        assertThat(store.endedClusters(MANY)).doesNotContain(old);
        assertThat(store.notices("home-c0")).isEmpty();
    }

    /** As {@code queue --since --until} asks: part of what it lists lies in the archive, and later jobs in the journal. */
    @Test
    void aSpanOfThePastIsListedFromBothFiles() {
        for (int i = 1; i <= 9; i++) {
            int day = i;
            JobRecord job = Entries.fresh("" + i);
            job = job.with(job.spec().with(draft -> draft.submittedAt = day(day).minusSeconds(60)));
            store.write(day(i), List.of(job.to(JobState.CANCELLED, Cause.NONE, day(i))), List.of());
        }
        assertThat(moveAll(day(5), MANY)).isEqualTo(4);
        assertThat(span(day(3), day(7), 100)).containsExactly("7", "6", "5", "4", "3");
        assertThat(span(day(3), day(6).minusSeconds(60), 4)).containsExactly("5", "4", "3");
        assertThat(span(day(3), day(5).minusSeconds(60), 1)).containsExactly("4");
        assertThat(span(day(4).plusSeconds(1), Instant.MAX, 2)).containsExactly("9", "8");
        assertThat(span(day(10), Instant.MAX, 100)).isEmpty();
    }

    private List<String> span(Instant since, Instant until, int limit) {
        return store
                .endedJobs(new JobFilter(OptionalInt.empty(), true, "", Optional.empty(), since, until, limit))
                .stream()
                .map(JobRecord::id)
                .toList();
    }
}
