package org.spillway.head.loop.handover;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.spillway.api.JobState;
import org.spillway.director.wire.Report;
import org.spillway.director.wire.Report.JobReport.Phase;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.JobCause;
import org.spillway.head.cause.Told;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.policy.Resources;
import org.spillway.stage.Checksum;

/** Answers to Slurm's hooks about a job in each of its states. */
final class DataAnswerTest {
    private static final Instant NOW = Instant.parse("2026-01-05T08:00:00Z");
    private static final DataAnswer READY = new DataAnswer.Ready();

    private static JobRecord job(JobState state, Cause cause, JobRun run) {
        JobSpec spec = JobSpec.of(draft -> {
            draft.name = "j";
            draft.owner = new JobSpec.Owner("u", 1000, 1000);
            draft.queue = "q";
            draft.sites = List.of("a");
            draft.need = new JobSpec.Need(Resources.of(1, 1, 0), 1, Duration.ofHours(1));
            draft.data = new JobSpec.Data(List.of(), List.of(new JobSpec.Output("o", "/o", false, false)), "/home/u");
            draft.idempotencyKey = JobSpec.Key.of("slurm:7:1");
            draft.submittedAt = NOW;
        });
        return new JobRecord("slurm-7-1", spec, state, cause, NOW, run);
    }

    private static JobRun ended(int code, boolean results) {
        Checksum left = results ? new Checksum(1, "a".repeat(64)) : null;
        return JobRun.NONE
                .startedOn(List.of("n1"), 0)
                .ended("n1", JobRun.End.of(NOW, NOW, code, Cause.NONE, true, "s", left));
    }

    @Test
    void aJobThatIsNotOursYetWaitsForItsDataAndHasNothingToBringHome() {
        assertThat(DataAnswer.in(null, "", false)).isInstanceOf(DataAnswer.Wait.class);
        assertThat(DataAnswer.out(null, "", false, true)).isEqualTo(READY);
        assertThat(DataAnswer.out(null, "", false, false)).isInstanceOf(DataAnswer.Wait.class);
    }

    @ParameterizedTest
    @EnumSource(
            value = JobState.class,
            names = {"QUEUED", "RUNNING", "STAGING_OUT"})
    void dataIsThereOnceItIsVerified(JobState state) {
        assertThat(DataAnswer.in(job(state, Cause.NONE, JobRun.NONE), "", false))
                .isEqualTo(READY);
    }

    @ParameterizedTest
    @EnumSource(
            value = JobState.class,
            names = {"SUBMITTED", "HELD", "STAGING_IN"})
    void untilThenItWaitsWithASentence(JobState state) {
        assertThat(DataAnswer.in(job(state, Cause.NONE, JobRun.NONE), "no money", false))
                .isEqualTo(new DataAnswer.Wait("no money"));
        assertThat(DataAnswer.in(job(state, Cause.NONE, JobRun.NONE), "", false))
                .isInstanceOfSatisfying(
                        DataAnswer.Wait.class,
                        wait -> assertThat(wait.sentence()).isNotBlank());
    }

    @Test
    void whatCannotBeStagedFails() {
        Cause why = new JobCause.Unstageable("no such file");
        assertThat(DataAnswer.in(job(JobState.HELD, why, JobRun.NONE), "", false))
                .isEqualTo(new DataAnswer.Failed(why.text()));
        assertThat(DataAnswer.in(job(JobState.HELD, why, JobRun.NONE), "", true))
                .isInstanceOf(DataAnswer.Wait.class);
        assertThat(DataAnswer.in(job(JobState.DONE, Cause.NONE, JobRun.NONE), "", false))
                .isInstanceOf(DataAnswer.Failed.class);
    }

    private static Report.JobReport told(String job, int attempt, String node, Phase phase) {
        return Report.JobReport.of(job, attempt, node, phase, null, 0, 0, null, "", true);
    }

    @ParameterizedTest
    @EnumSource(
            value = JobState.class,
            names = {"SUBMITTED", "HELD", "STAGING_IN", "QUEUED"})
    void nodesAreWaitedForUntilTheyHaveAnOrder(JobState state) {
        assertThat(DataAnswer.onNodes(job(state, Cause.NONE, JobRun.NONE), List.of()))
                .isInstanceOf(DataAnswer.Wait.class);
        assertThat(DataAnswer.onNodes(null, List.of())).isInstanceOf(DataAnswer.Wait.class);
    }

    @Test
    void nodesAreReadyWhenAllOfTheAttemptHaveSaidSo() {
        JobRecord gang = job(JobState.RUNNING, Cause.NONE, JobRun.NONE.startedOn(List.of("n1", "n2"), 1));
        var first = told("slurm-7-1", 2, "n1", Phase.RUNNING);
        for (var second : List.of(
                told("slurm-7-1", 2, "n2", Phase.ACCEPTED),
                told("slurm-7-1", 1, "n2", Phase.RUNNING),
                told("slurm-8-1", 2, "n2", Phase.RUNNING),
                told("slurm-7-1", 2, "n3", Phase.RUNNING))) {
            assertThat(DataAnswer.onNodes(gang, List.of(first, second)))
                    .as("%s", second)
                    .isInstanceOf(DataAnswer.Wait.class);
        }
        assertThat(DataAnswer.onNodes(gang, List.of(first, told("slurm-7-1", 2, "n2", Phase.RUNNING))))
                .isEqualTo(READY);
        assertThat(DataAnswer.onNodes(gang, List.of(first, told("slurm-7-1", 2, "n2", Phase.REFUSED))))
                .as("what its node refuses its Prolog says")
                .isEqualTo(READY);
    }

    @Test
    void nobodyWaitsForNodesOfARunThatIsOver() {
        assertThat(DataAnswer.onNodes(job(JobState.RUNNING, Cause.NONE, ended(1, false)), List.of()))
                .isEqualTo(READY);
        assertThat(DataAnswer.onNodes(job(JobState.STAGING_OUT, Cause.NONE, ended(0, true)), List.of()))
                .isEqualTo(READY);
        assertThat(DataAnswer.onNodes(job(JobState.CANCELLED, Cause.NONE, ended(0, true)), List.of()))
                .isInstanceOf(DataAnswer.Failed.class);
    }

    @ParameterizedTest
    @EnumSource(
            value = JobState.class,
            names = {"SUBMITTED", "HELD", "STAGING_IN", "QUEUED", "DONE"})
    void nothingIsToBringHomeBeforeARunAndAfterAll(JobState state) {
        assertThat(DataAnswer.out(job(state, Cause.NONE, JobRun.NONE), "", false, true))
                .isEqualTo(READY);
    }

    @Test
    void oneThatHasEndedWithoutItsResultsIsToBeRunAgain() {
        JobRecord between = job(JobState.QUEUED, Cause.NONE, ended(0, false).waiting());
        assertThat(DataAnswer.out(between, "", false, true)).isEqualTo(READY);
        assertThat(DataAnswer.out(between, "", true, true)).isInstanceOf(DataAnswer.Wait.class);
    }

    @Test
    void resultsAreWaitedFor() {
        assertThat(DataAnswer.out(job(JobState.RUNNING, Cause.NONE, ended(0, true)), "", false, true))
                .isInstanceOf(DataAnswer.Wait.class);
        assertThat(DataAnswer.out(
                        job(JobState.STAGING_OUT, Cause.NONE, ended(0, true)), "the link is down", false, true))
                .isEqualTo(new DataAnswer.Wait("the link is down"));
    }

    @Test
    void aFailureIsSaidWhenItIsOursAndNotTheScripts() {
        JobRun.Published published = new JobRun.Published(List.of(), 1, 1);
        JobRecord script =
                job(JobState.FAILED, new Told("exit code 7"), ended(7, true).withPublished(published));
        assertThat(DataAnswer.out(script, "", false, true)).isEqualTo(READY);
        JobRecord unpublished = job(JobState.FAILED, new Told("no room"), ended(7, true));
        assertThat(DataAnswer.out(unpublished, "", false, true)).isEqualTo(new DataAnswer.Failed("no room"));
        JobRecord unsent = job(JobState.FAILED, new Told("lost"), ended(0, false));
        assertThat(DataAnswer.out(unsent, "", false, true)).isEqualTo(new DataAnswer.Failed("lost"));
        JobRecord nothing =
                job(JobState.CANCELLED, new Told("cancelled"), ended(143, false).withCancelled());
        assertThat(DataAnswer.out(nothing, "", false, true)).isEqualTo(READY);
    }
}
