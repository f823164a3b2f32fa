package org.spillway.slurm.manager;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.head.cause.Cause;
import org.spillway.head.workload.ForeignJob;
import org.spillway.head.workload.ForeignJob.Status;

/** A run is made again only while that is what is wanted of it. */
final class RunAgainTest {
    private static final Instant BEGAN = Instant.parse("2026-01-05T08:00:00Z");
    private static final Status RUNS = new Status.Allocated(List.of("n1"), 0, BEGAN);
    private static final Status ENDED = new Status.Ended(0, BEGAN, 0, false, Cause.NONE, false, Status.Place.OURS);

    private static ForeignJob job(Status status) {
        return new ForeignJob("slurm:1:2", "1", Takeover.unknown("1", BEGAN), status);
    }

    @Test
    void anEndThatSlurmFindsByItselfIsNotToldToIt() {
        RunAgain forgotten = RunAgain.of(job(RUNS)).orElseThrow();
        assertThat(forgotten.isStill(job(RUNS))).isTrue();
        assertThat(forgotten.isStill(job(ENDED))).isFalse();
        assertThat(forgotten.isStill(null)).isFalse();
    }

    @Test
    void aRunWhoseResultsAreLostIsMadeAgainAfterItsEnd() {
        RunAgain lost = RunAgain.of(job(ENDED)).orElseThrow();
        assertThat(lost.isStill(job(ENDED))).isTrue();
        assertThat(lost.isStill(job(new Status.Allocated(List.of("n1"), 1, BEGAN))))
                .isFalse();
        assertThat(RunAgain.of(job(new Status.Waiting("Priority")))).isEmpty();
    }
}
