package org.spillway.head.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.ClusterCause.ClusterFact;
import org.spillway.head.cause.JobCause;
import org.spillway.head.cause.JobCause.JobFact;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.cause.Told;
import org.spillway.head.journal.JournalStore.Transition;

/** Journals of earlier schemas, as releases in the field have written them, are taken over. */
final class JournalMigrationTest {
    @TempDir
    Path folder;

    private JournalStore store;

    private Path state() {
        return folder.resolve("state");
    }

    private RawJournal raw() {
        return new RawJournal(state());
    }

    @BeforeEach
    void open() {
        store = SqliteJournalStore.open(state());
    }

    @AfterEach
    void close() {
        store.close();
    }

    /** Intents, breakers, clusters and what children bought had sentences until then. */
    @Test
    void sentencesOfSchemaThreeAreCauses() throws SQLException, IOException {
        store.close();
        Files.delete(state().resolve("journal.db"));
        for (int version = 1; version <= 3; version++) {
            raw().execute(JournalFile.script(version));
        }
        raw().execute(RawJournal.resource("journal-of-schema-3.sql"));
        raw().execute("PRAGMA user_version = 3");
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
            assertThat(raw().schema()).isEqualTo(RawJournal.resource("schema-6.txt"));
            store.close();
        }
        store = SqliteJournalStore.open(state());
    }

    /** Written while each task of an array had its script: three live tasks and an ended one, and a job with another. */
    @Test
    void scriptsOfSchemaFiveAreStoredOnce() throws SQLException, IOException {
        store.close();
        Files.delete(state().resolve("journal.db"));
        for (int version = 1; version <= 5; version++) {
            raw().execute(JournalFile.script(version));
        }
        raw().execute(RawJournal.resource("journal-of-schema-5.sql"));
        raw().execute("PRAGMA user_version = 5");
        assertThatThrownBy(() -> JournalGlance.endedJobs(state().resolve("journal.db")))
                .isInstanceOf(JournalFailure.class)
                .hasMessageContaining("has schema 5, this release reads 6: start the head once");
        for (int i = 0; i < 2; i++) {
            store = SqliteJournalStore.open(state());
            assertThat(raw().read("SELECT count(*) FROM program")).containsExactly("2");
            assertThat(raw().read("SELECT id FROM entry WHERE body LIKE '%bin/sh%' AND kind = 'job'"))
                    .isEmpty();
            assertThat(store.tasks("17"))
                    .hasSize(4)
                    .allSatisfy(task -> assertThat(task.spec().program())
                            .isEqualTo(Entries.spec("k").program()));
            List<JobSpec.Program> live = store.load(Instant.MIN).stream()
                    .filter(JobRecord.class::isInstance)
                    .map(job -> ((JobRecord) job).spec().program())
                    .toList();
            assertThat(live)
                    .hasSize(3)
                    .allSatisfy(one -> assertThat(one).as("one in memory, too").isSameAs(live.getFirst()));
            assertThat(store.job("2").orElseThrow().spec().program().script()).isEqualTo("#!/bin/sh\ntrue\n");
            assertThat(store.jobByKey(1001, "key-2")).isEqualTo(store.job("2"));
            assertThat(store.timeline("job", "17-3")).hasSize(1);
            assertThat(JournalCheck.of(state().resolve("journal.db"), rows -> {})
                            .isWhole())
                    .isTrue();
            store.close();
        }
        store = SqliteJournalStore.open(state());
    }

    /** A journal in the field has this schema for ever: a change of it is a new version with a migration. */
    @Test
    void schemaSixIsTheOneInTheField() throws SQLException, IOException {
        String found = raw().schema();
        if (Boolean.getBoolean("golden.update")) {
            Files.writeString(Path.of("src/test/resources/org/spillway/head/journal/schema-6.txt"), found);
        }
        assertThat(found).isEqualTo(RawJournal.resource("schema-6.txt"));
        assertThat(raw().read("PRAGMA user_version")).containsExactly("6");
    }

    /** Written by the first release, with its own bodies. */
    @Test
    void aJournalOfSchemaOneIsTakenOver() throws SQLException, IOException {
        store.close();
        Files.delete(state().resolve("journal.db"));
        raw().execute(JournalFile.script(1));
        assertThat(raw().schema()).isEqualTo(RawJournal.resource("schema-1.txt"));
        raw().execute(RawJournal.resource("journal-of-schema-1.sql"));
        raw().execute("PRAGMA user_version = 1");
        // Twice: what was taken over once is as good as written by this release.
        for (int i = 0; i < 2; i++) {
            store = SqliteJournalStore.open(state());
            assertThat(raw().schema()).isEqualTo(RawJournal.resource("schema-6.txt"));
            assertThat(raw().read("PRAGMA user_version")).containsExactly("6");
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
        raw().execute(JournalFile.script(1));
        raw().execute(JournalFile.script(2));
        raw().execute(RawJournal.resource("journal-of-schema-2.sql"));
        raw().execute("PRAGMA user_version = 2");
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
            assertThat(lines)
                    .filteredOn(line -> line.to().equals("STOPPED"))
                    .extracting(Transition::cause)
                    .containsOnly(
                            new Told("powered off: idle since 2026-01-05T08:00:14Z, longer than 10 s, and nothing that"
                                    + " waits needs it"));
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
}
