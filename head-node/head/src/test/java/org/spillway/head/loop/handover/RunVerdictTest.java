package org.spillway.head.loop.handover;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.head.journal.JobRun;
import org.spillway.head.workload.ForeignJob.Status;

/** Which run it is that the manager speaks of. */
final class RunVerdictTest {
    private static final Instant NOW = Instant.parse("2026-01-05T08:00:00Z");
    private final JobRun third =
            JobRun.NONE.withForeign(new JobRun.Foreign("7", 2, NOW)).startedOn(List.of("n1", "n2"), 0);

    private static Status allocated(int restarts, String... nodes) {
        return new Status.Allocated(List.of(nodes), restarts, NOW);
    }

    @Test
    void goesOnAsLongAsItIsThatRun() {
        assertThat(RunVerdict.of(third, allocated(2, "n1", "n2"))).isEqualTo(new RunVerdict.GoesOn());
        // A node that is no more is missing.
        assertThat(RunVerdict.of(third, allocated(2, "n2"))).isEqualTo(new RunVerdict.GoesOn());
        assertThat(RunVerdict.of(third, allocated(2))).isEqualTo(new RunVerdict.GoesOn());
    }

    @Test
    void isBrokenOffByAnotherRunOrByWaiting() {
        assertThat(RunVerdict.of(third, allocated(3, "n1", "n2"))).isEqualTo(new RunVerdict.BrokenOff());
        assertThat(RunVerdict.of(third, allocated(2, "n3", "n4"))).isEqualTo(new RunVerdict.BrokenOff());
        assertThat(RunVerdict.of(third, new Status.Waiting("BeginTime"))).isEqualTo(new RunVerdict.BrokenOff());
        assertThat(RunVerdict.of(third, new Status.Held("JobHeldUser"))).isEqualTo(new RunVerdict.BrokenOff());
    }

    @Test
    void isOverByTheEndOfThatRunOnly() {
        Status.Ended ours = Status.Ended.somewhere(2, NOW, 0, false, "", true);
        Status.Ended later = Status.Ended.somewhere(3, NOW.plusSeconds(9), 0, true, "", true);
        assertThat(RunVerdict.of(third, ours)).isEqualTo(new RunVerdict.Over(ours));
        assertThat(RunVerdict.of(third, later)).isEqualTo(new RunVerdict.Superseded(later));
    }

    @Test
    void takesARunThatWasJournalledWithoutItForTheFirst() {
        JobRun old = JobRun.NONE.startedOn(List.of("n1"), 0);
        Status.Ended end = Status.Ended.somewhere(0, NOW, 0, false, "", true);
        assertThat(RunVerdict.of(old, end)).isEqualTo(new RunVerdict.Over(end));
    }

    @Test
    void isAnotherRunWithAnotherBeginningWhateverIsCounted() {
        // A manager that was killed has forgotten the run, and counts the next one like it.
        Instant later = NOW.plusSeconds(7);
        assertThat(RunVerdict.of(third, new Status.Allocated(List.of("n1", "n2"), 2, later)))
                .isEqualTo(new RunVerdict.BrokenOff());
        Status.Ended end = Status.Ended.somewhere(2, later, 0, false, "", true);
        assertThat(RunVerdict.of(third, end)).isEqualTo(new RunVerdict.Superseded(end));
        Status.Ended unknown = Status.Ended.somewhere(2, null, 255, false, "", true);
        assertThat(RunVerdict.of(third, unknown)).isEqualTo(new RunVerdict.Over(unknown));
    }

    @Test
    void takesARunThatWasJournalledWithoutItsBeginningByItsCount() {
        JobRun old = JobRun.NONE.withForeign(new JobRun.Foreign("7", 1, null)).startedOn(List.of("n1"), 0);
        assertThat(RunVerdict.of(old, allocated(1, "n1"))).isEqualTo(new RunVerdict.GoesOn());
        assertThat(RunVerdict.of(old, allocated(2, "n1"))).isEqualTo(new RunVerdict.BrokenOff());
    }
}
