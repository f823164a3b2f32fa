package org.spillway.head.loop;

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
            JobRun.NONE.withForeign(new JobRun.Foreign("7", 2)).startedOn(List.of("n1", "n2"));

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
        Status.Ended ours = new Status.Ended(2, 0, false, "");
        Status.Ended later = new Status.Ended(3, 0, true, "");
        assertThat(RunVerdict.of(third, ours)).isEqualTo(new RunVerdict.Over(ours));
        assertThat(RunVerdict.of(third, later)).isEqualTo(new RunVerdict.Superseded(later));
    }

    @Test
    void takesARunThatWasJournalledWithoutItForTheFirst() {
        JobRun old = JobRun.NONE.startedOn(List.of("n1"));
        Status.Ended end = new Status.Ended(0, 0, false, "");
        assertThat(RunVerdict.of(old, end)).isEqualTo(new RunVerdict.Over(end));
    }
}
