package org.spillway.head.loop.handover;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.api.JobState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.JobCause;
import org.spillway.head.cause.JobCause.JobFact;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.loop.Samples;
import org.spillway.head.workload.ForeignJob.Status;
import org.spillway.head.workload.ForeignJob.Status.Place;

/** The next state of a job of another manager when its run has ended, by where that was and how. */
final class RunEndsTest {
    private static final JobRun.Published PUBLISHED = new JobRun.Published(List.of(), 0, 0);

    private static JobRecord withoutData(JobRun run) {
        return Samples.job("m-7-1", 1, "manager:7:1", JobState.QUEUED, run);
    }

    private static JobRecord job(JobRun run) {
        JobRecord plain = withoutData(run);
        JobSpec spec = plain.spec()
                .with(draft -> draft.data = new JobSpec.Data(
                        List.of(), List.of(new JobSpec.Output("out", "/home/ada/out", false, false)), "/home/ada"));
        return new JobRecord(plain.id(), spec, plain.jobState(), plain.cause(), plain.since(), run);
    }

    private static JobRun ran() {
        return JobRun.NONE.at("east").startedOn(List.of("n1"), 0);
    }

    private static Status.Ended end(int code, boolean cancelled, Place place) {
        return new Status.Ended(0, Samples.NOW, code, cancelled, Cause.NONE, true, place);
    }

    @ParameterizedTest
    @CsvSource({
        "0, ELSEWHERE, DONE",
        "1, ELSEWHERE, FAILED",
        "0, OURS, FAILED",
        "1, OURS, FAILED",
        "0, UNKNOWN, FAILED",
    })
    void aJobThatWaitedEndsByWhereItRan(int code, Place place, JobState expected) {
        assertThat(RunEnds.ended(job(ran()), end(code, false, place), Samples.NOW)
                        .jobState())
                .isEqualTo(expected);
    }

    @Test
    void aGoodEndOfANodeThatWasNotAskedIsNobodysResult() {
        assertThat(RunEnds.ended(job(ran()), end(0, false, Place.OURS), Samples.NOW)
                        .cause())
                .isInstanceOfSatisfying(
                        JobCause.RunLost.class, lost -> assertThat(lost.what()).isEqualTo(JobFact.UNATTENDED));
    }

    /** In a folder that nodes have from home nothing is brought anywhere, and Slurm's word is the whole of it. */
    @Test
    void aGoodEndOfAJobWithoutDataIsNotRunAgain() {
        JobRun lost = ran().lost("n1");
        Status.Ended good = end(0, false, Place.OURS);
        JobRecord plain = withoutData(lost);
        assertThat(RunEnds.isBarren(plain, good)).isFalse();
        assertThat(RunEnds.isUnattended(plain, good)).isFalse();
        assertThat(RunEnds.ended(withoutData(ran()), good, Samples.NOW).jobState())
                .isEqualTo(JobState.DONE);
        assertThat(RunEnds.superseded(withoutData(ran()), good, Samples.NOW).jobState())
                .isEqualTo(JobState.DONE);
        assertThat(RunEnds.ended(withoutData(ran()), end(1, false, Place.OURS), Samples.NOW)
                        .jobState())
                .isEqualTo(JobState.FAILED);
        assertThat(RunEnds.isBarren(job(lost), good)).as("its results are gone").isTrue();
    }

    @Test
    void aCancelledOneIsCancelledWhateverItsCode() {
        Status.Ended end = end(0, true, Place.OURS);
        assertThat(RunEnds.ended(job(ran()), end, Samples.NOW).jobState()).isEqualTo(JobState.CANCELLED);
        assertThat(RunEnds.superseded(job(ran()), end, Samples.NOW).jobState()).isEqualTo(JobState.CANCELLED);
    }

    @Test
    void whatIsPublishedOnceIsDone() {
        JobRecord job = job(ran().withPublished(PUBLISHED));
        Status.Ended end = end(1, false, Place.OURS);
        assertThat(RunEnds.ended(job, end, Samples.NOW).jobState()).isEqualTo(JobState.DONE);
        assertThat(RunEnds.superseded(job, end, Samples.NOW).jobState()).isEqualTo(JobState.DONE);
        assertThat(RunEnds.over(job, end, Samples.NOW).cause()).isEqualTo(JobFact.RUN_TWICE);
    }

    @Test
    void aRunThatLeftNothingNeedsNoDirector() {
        JobRecord over = RunEnds.over(job(ran()), end(1, false, Place.OURS), Samples.NOW);
        assertThat(over.jobState()).isEqualTo(JobState.STAGING_OUT);
        assertThat(over.run().home()).isTrue();
        assertThat(over.run().published()).isEqualTo(PUBLISHED);
        assertThat(over.run().exitCode()).isEqualTo(1);
    }

    @Test
    void onlyAnUncancelledRunOnOurNodesIsUnattended() {
        assertThat(RunEnds.isUnattended(job(ran()), end(0, false, Place.OURS))).isTrue();
        assertThat(RunEnds.isUnattended(job(ran()), end(0, false, Place.ELSEWHERE)))
                .isFalse();
        assertThat(RunEnds.isUnattended(job(ran()), end(0, true, Place.OURS))).isFalse();
        assertThat(RunEnds.isUnattended(job(ran().withPublished(PUBLISHED)), end(0, false, Place.OURS)))
                .isFalse();
    }
}
