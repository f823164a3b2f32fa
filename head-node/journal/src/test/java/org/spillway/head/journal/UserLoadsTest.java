package org.spillway.head.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.api.JobState;
import org.spillway.head.cause.Cause;

/** The sums are those of a walk over all live jobs, whatever comes and goes. */
final class UserLoadsTest {
    private static final Instant NOW = Instant.parse("2026-11-23T12:00:00Z");

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void sumsAreThoseOfAWalk(long seed) {
        var random = new Random(seed);
        var journal = new Journal(new MemoryJournalStore(), NOW);
        List<JobRecord> live = new ArrayList<>();
        for (int step = 0; step < 300; step++) {
            if (live.isEmpty() || random.nextInt(3) > 0) {
                var job = Entries.job("j" + step, JobState.SUBMITTED);
                journal.commit(NOW, job);
                live.add(job);
            } else if (random.nextBoolean()) {
                var ended = live.remove(random.nextInt(live.size())).to(JobState.CANCELLED, Cause.NONE, NOW);
                journal.commit(NOW, ended);
            } else {
                var changed = live.get(random.nextInt(live.size()));
                journal.commit(NOW, changed.with(changed.run().at("site-" + step)));
            }
            UserLoads.Load walked = UserLoads.Load.NONE;
            for (JobRecord job : journal.jobs()) {
                walked = walked.plus(UserLoads.Load.of(job.spec()));
            }
            int uid = Entries.job("any", JobState.SUBMITTED).spec().uid();
            assertThat(journal.liveJobCount()).isEqualTo(journal.jobs().size());
            assertThat(journal.load(uid)).as("seed %s, step %s", seed, step).isEqualTo(walked);
        }
    }

    /** An environment of 40 KB each was no part of what a user may have. */
    @Test
    void allThatIsKeptCounts() {
        var spec = Entries.job("j", JobState.SUBMITTED).spec();
        var program = spec.program();
        var more = new JobSpec.Program(program.script(), program.arguments(), Map.of("A", "x".repeat(40_000)));
        var larger = spec.with(draft -> draft.program = more);
        assertThat(UserLoads.Load.of(larger).bytes())
                .isGreaterThan(UserLoads.Load.of(spec).bytes() + 39_000);
        var wide = new JobSpec.Program("\u20ac".repeat(1000), List.of(), Map.of());
        var narrow = new JobSpec.Program("\u00e9".repeat(1000), List.of(), Map.of());
        assertThat(UserLoads.Load.of(spec.with(draft -> draft.program = wide)).bytes()
                        - UserLoads.Load.of(spec.with(draft -> draft.program = narrow))
                                .bytes())
                .isEqualTo(1000);
    }
}
