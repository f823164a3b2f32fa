package org.spillway.head.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.JobState;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.JournalReport.Damage;

/** Scripts are stored once, however many jobs run them: finding M7. */
final class ProgramsTest {
    private static final Instant NOW = Entries.NOW;

    @TempDir
    Path folder;

    private SqliteJournalStore store;

    @BeforeEach
    void open() {
        store = SqliteJournalStore.open(folder);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private List<String> read(String sql) throws SQLException {
        return new RawJournal(folder).read(sql);
    }

    private long bytes() throws SQLException {
        return Long.parseLong(read("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")
                .getFirst());
    }

    private static JobRecord running(String id, JobSpec.Program program) {
        JobRecord job = Entries.fresh(id);
        return job.with(job.spec().with(draft -> {
            draft.program = program;
            draft.array = null;
        }));
    }

    private static JobSpec.Program script(int kibibytes, String variable) {
        return new JobSpec.Program(
                "#!/bin/sh\n" + "# a line of sixteen\n".repeat(kibibytes * 1024 / 20),
                List.of("x"),
                Map.of("A", "1", "B", variable, "C", "3"));
    }

    private static List<JobRecord> array(int tasks, JobSpec.Program program) {
        List<JobRecord> all = new ArrayList<>();
        for (int i = 0; i < tasks; i++) {
            all.add(running("7-" + i, program));
        }
        return all;
    }

    /** As on 7b3e1e2: a thousand tasks filled a disk of 6 MB, for each had its script. */
    @Test
    void aThousandTasksStoreTheirScriptOnce() throws SQLException {
        long empty = bytes();
        store.write(NOW, array(1000, script(1, "")), List.of());
        long small = bytes() - empty;
        store.close();
        Path other = folder.resolve("other");
        store = SqliteJournalStore.open(other);
        store.write(NOW, array(1000, script(16, "")), List.of());
        RawJournal raw = new RawJournal(other);
        long large =
                Long.parseLong(raw.read("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")
                                .getFirst())
                        - empty;
        System.out.println("an array of 1,000: " + small + " bytes with a script of 1 KiB, " + large + " of 16 KiB");
        assertThat(large - small).as("for 15 KiB more of each script").isLessThan(50_000);
        assertThat(large).as("a thousand tasks").isLessThan(6_000_000);
        assertThat(raw.read("SELECT count(*) FROM program")).containsExactly("1");
    }

    @Test
    void aJobThatChangesItsStateKeepsItsProgramAndAChangedOneHasAnother() throws SQLException {
        JobSpec.Program first = script(1, "first");
        JobRecord job = running("1", first);
        store.write(NOW, List.of(job), List.of());
        store.write(NOW, List.of(job.to(JobState.STAGING_IN, Cause.NONE, NOW)), List.of());
        store.close();
        store = SqliteJournalStore.open(folder);
        JobRecord known = (JobRecord) store.load(NOW).getFirst();
        assertThat(known.spec().program()).isEqualTo(first);
        JobSpec.Program second = script(1, "second");
        store.write(NOW, List.of(known.with(known.spec().with(draft -> draft.program = second))), List.of());
        assertThat(store.job("1").orElseThrow().spec().program()).isEqualTo(second);
        assertThat(read("SELECT count(*) FROM program")).containsExactly("2");
        store.prune(NOW, 100);
        assertThat(read("SELECT count(*) FROM program")).containsExactly("1");
        // A program that is gone is written again when a job has it again.
        store.write(NOW, List.of(running("2", first)), List.of());
        assertThat(store.job("2").orElseThrow().spec().program()).isEqualTo(first);
        store.prune(NOW, 100);
        assertThat(store.job("1").orElseThrow().spec().program()).isEqualTo(second);
        assertThat(store.job("2").orElseThrow().spec().program()).isEqualTo(first);
    }

    @Test
    void theOrderOfVariablesIsNoDifference() throws SQLException {
        Map<String, String> backwards = new TreeMap<>(java.util.Comparator.reverseOrder());
        backwards.putAll(Map.of("A", "1", "B", "2", "C", "3"));
        assertThat(EntryJson.write(new JobSpec.Program("x", List.of(), backwards)))
                .isEqualTo("{\"script\":\"x\",\"arguments\":[],\"environment\":{\"A\":\"1\",\"B\":\"2\",\"C\":\"3\"}}");
        store.write(NOW, List.of(running("1", new JobSpec.Program("", List.of(), Map.of()))), List.of());
        assertThat(store.job("1").orElseThrow().spec().program()).isEqualTo(JobSpec.Program.NONE);
    }

    @Test
    void aManyOfLargeProgramsIsNotRemembered() throws SQLException {
        for (int i = 0; i < 100; i++) {
            store.write(NOW, List.of(running("" + i, script(64, "" + i))), List.of());
        }
        for (int i = 0; i < 100; i++) {
            assertThat(store.job("" + i).orElseThrow().spec().program()).isEqualTo(script(64, "" + i));
        }
        assertThat(read("SELECT count(*) FROM program")).containsExactly("100");
    }

    @Test
    void aLostProgramIsToldAndALiveJobWithoutItDoesNotRunNothing() throws Exception {
        JobSpec.Program its = script(1, "lost");
        store.write(
                NOW,
                List.of(
                        running("1", its),
                        running("2", its).to(JobState.CANCELLED, Cause.NONE, NOW),
                        running("3", script(1, "kept"))),
                List.of());
        store.nextSequence();
        store.close();
        new RawJournal(folder).execute("UPDATE program SET body = replace(body, 'lost', 'last') WHERE id = 1");
        assertThat(JournalCheck.of(folder.resolve("journal.db"), rows -> {}).damages())
                .contains(new Damage("program", "1", "it is not what its digest says"));
        Path saved = folder.resolve("saved.db");
        JournalSalvage.Salvaged salvaged = JournalSalvage.write(folder.resolve("journal.db"), saved);
        assertThat(salvaged.lost())
                .containsExactly(
                        new Damage("program", "1", "it is not what its digest says"),
                        new Damage("entry", "job 1", "its script is lost"));
        assertThat(salvaged.report().isWhole()).isTrue();
        new RawJournal(folder).execute("DELETE FROM program WHERE id = 1");
        assertThat(JournalCheck.of(folder.resolve("journal.db"), rows -> {}).damages())
                .contains(
                        new Damage("entry", "job 1", "its script is not there"),
                        new Damage("reference", "job 2", "its script is not there"));
        Files.move(saved, folder.resolve("journal.db"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        store = SqliteJournalStore.open(folder);
        assertThat(store.load(NOW)).extracting(Entry::id).containsExactly("3");
        assertThat(store.job("2").orElseThrow().spec().program()).isEqualTo(JobSpec.Program.NONE);
    }
}
