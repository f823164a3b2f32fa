package org.spillway.head.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.MemoryJournalStore;
import org.spillway.head.loop.Samples;

/** Jobs are found by what their own manager calls them. */
final class ForeignNumbersTest {
    private final Journal journal = new Journal(new MemoryJournalStore(), Instant.EPOCH);
    private final ForeignNumbers numbers = new ForeignNumbers(journal);

    private void submitted(String id, String key) {
        journal.commit(Samples.NOW, Samples.job(id, 1, key, JobState.SUBMITTED, JobRun.NONE));
    }

    @Test
    void aNumberIsAJobAndOneWithAnIndexATask() {
        submitted("slurm-33-100", "slurm:33:100");
        submitted("slurm-34-1-100", "slurm:34_1:100");
        submitted("slurm-34-10-100", "slurm:34_10:100");
        submitted("slurm-34-2-100", "slurm:34_2:100");
        submitted("35", "own");
        assertThat(numbers.job("33")).map(JobRecord::id).contains("slurm-33-100");
        assertThat(numbers.job("34_10")).map(JobRecord::id).contains("slurm-34-10-100");
        assertThat(numbers.job("34-1")).map(JobRecord::id).contains("slurm-34-1-100");
        for (String none : List.of("3", "34", "35", "33_1", "slurm-33", "", "33_")) {
            assertThat(numbers.job(none)).as(none).isEmpty();
        }
        assertThat(numbers.tasks("34").stream().map(JobRecord::id))
                .containsExactly("slurm-34-1-100", "slurm-34-2-100", "slurm-34-10-100");
        assertThat(numbers.tasks("33")).isEmpty();
    }

    @Test
    void whatHasEndedIsFoundAsLongAsNothingLivesUnderItsNumber() {
        JobRecord old = Samples.job("slurm-33-100", 1, "slurm:33:100", JobState.SUBMITTED, JobRun.NONE);
        journal.commit(Samples.NOW, old);
        journal.commit(Samples.NOW, old.to(JobState.DONE, Cause.NONE, Samples.NOW));
        assertThat(numbers.job("33")).map(JobRecord::id).contains("slurm-33-100");
        submitted("slurm-33-200", "slurm:33:200");
        assertThat(numbers.job("33")).map(JobRecord::id).contains("slurm-33-200");
    }
}
