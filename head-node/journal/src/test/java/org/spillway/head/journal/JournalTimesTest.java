package org.spillway.head.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.JournalStore.Transition;

/** A timeline goes forward, whatever the times of those who commit. */
final class JournalTimesTest {
    private static final Instant NOW = Entries.NOW;

    private final MemoryJournalStore store = new MemoryJournalStore();
    private final Journal journal = new Journal(store, Instant.MIN);

    /** As on a busy machine: an effect ends while a tick decides by the time at which it began. */
    @Test
    void whatIsWrittenLaterIsNotEarlier() {
        submittedThenHeld(NOW, NOW.minusMillis(6));
        assertThat(store.timeline("job", "1")).extracting(Transition::at).containsExactly(NOW, NOW);
    }

    @Test
    void aClockThatWasSetBackIsBelieved() {
        Instant back = NOW.minus(Duration.ofHours(1));
        submittedThenHeld(NOW, back);
        assertThat(store.timeline("job", "1")).extracting(Transition::at).containsExactly(NOW, back);
    }

    private void submittedThenHeld(Instant first, Instant second) {
        JobRecord job = Entries.fresh("1");
        journal.commit(first, job);
        journal.commit(second, job.to(JobState.HELD, Cause.NONE, second));
    }
}
