package org.spillway.head.loop.foreign;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.MemoryJournalStore;
import org.spillway.head.loop.Samples;

/** Memory that the head has of a manager's word. */
final class ForeignJobsTest {
    private final ForeignJobs foreign = new ForeignJobs(new Journal(new MemoryJournalStore(), Instant.EPOCH));

    @Test
    void thePatienceWithAManagerBeginsWhenTheResultsAreToldAndNotWhenTheScriptEnded() {
        JobRecord job = Samples.job(
                "m-7-1",
                1,
                "manager:7:1",
                JobState.RUNNING,
                JobRun.NONE.at("east").startedOn(List.of("n1"), 0));
        Instant told = Samples.NOW.plus(Duration.ofHours(1));
        assertThat(foreign.heardOver(job, told)).isEqualTo(told);
        assertThat(foreign.heardOver(job, told.plusSeconds(20))).isEqualTo(told);
        JobRecord next = job.with(job.run().waiting().startedOn(List.of("n2"), 1));
        assertThat(foreign.heardOver(next, told.plusSeconds(60))).isEqualTo(told.plusSeconds(60));
    }
}
