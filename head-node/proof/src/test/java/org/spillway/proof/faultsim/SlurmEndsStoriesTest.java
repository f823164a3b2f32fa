package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.director.wire.JobOrder;
import org.spillway.head.cause.JobCause;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.loop.handover.DataAnswer;
import org.spillway.head.workload.ForeignJob.Status;

/** When a job of a Slurm has ended there, and how. */
final class SlurmEndsStoriesTest {
    private static final SimWorld.Spec SITE = new SimWorld.Spec("site1", 2, 0, "3.60");
    private static final List<JobSpec.Input> INPUT = List.of(new JobSpec.Input("/home/u/in", ""));

    private final SlurmStory story = new SlurmStory(SITE);

    /** Slurm launches nothing before its hook has this answer. */
    @Test
    void nodesAreAskedForUntilTheyHaveTheInputAndNoLonger() {
        SimSlurmJob job = story.submit(INPUT, "site1");
        story.until("it is taken over", () -> story.record(job).isPresent());
        var asked = story.loop.data().onNodes(job.number);
        var other = story.loop.data().onNodes(job.number);
        story.until("it runs", () -> !job.nodes().isEmpty() && story.is(job, JobState.RUNNING));
        assertThat(other).isNotDone();
        story.loop.data().left(job.number);
        assertThat(other.join()).isInstanceOf(DataAnswer.Wait.class);
        assertThat(asked).isCompleted();
        var again = story.loop.data().onNodes(job.number);
        story.until("its nodes are ready", again::isDone);
        assertThat(again.join()).isEqualTo(new DataAnswer.Ready());
        assertThat(story.is(job, JobState.RUNNING)).isTrue();
    }

    /** S5: who waits for its end in Slurm reads its results when its nodes are let go. */
    @Test
    void nodesKeepARunUntilItsResultsAreInTheirPlacesAndNoLonger() {
        SimSlurmJob job = story.submit(INPUT, "site1");
        story.until("its script has ended", job::isEnded);
        while (story.record(job).orElseThrow().run().published() == null) {
            assertThat(orders()).isNotEmpty();
            story.step();
        }
        story.until("its order is taken back", () -> orders().isEmpty());
        // A manager that is killed now forgets this end.
        assertThat(story.is(job, JobState.STAGING_OUT)).isTrue();
        story.until("it is over here", () -> story.is(job, JobState.DONE));
    }

    /** S5: on 7b3e1e2 Slurm said COMPLETED. */
    @Test
    void aRunThatEndedWellWithoutItsStrictOutputHasFailedForItsManagerToo() {
        story.world.home.lacking = List.of("out");
        story.strict = true;
        SimSlurmJob job = story.submit(INPUT, "site1");
        SimSlurmJob fixed = story.submit(false, INPUT, "site1");
        story.until("its script has ended", () -> job.isEnded() && fixed.isEnded());
        story.until("it is over here", () -> story.is(job, JobState.FAILED) && story.is(fixed, JobState.FAILED));
        assertThat(isGood(job)).isFalse();
        assertThat(story.record(job).orElseThrow().cause()).isInstanceOf(JobCause.OutputMissing.class);
        // Slurm takes nothing but the exit code back of one that may not be requeued, and nobody waits for that for
        // ever.
        assertThat(isGood(fixed)).isTrue();
        assertThat(fixed.denied).isTrue();
    }

    /** On 7b3e1e2 Slurm said COMPLETED with exit code 0. */
    @Test
    void aRunWhoseResultsWentWithItsNodeHasFailedForItsManagerToo() {
        SimSlurmJob fixed = story.submit(false, INPUT, "site1");
        story.until("it runs", () -> !fixed.nodes().isEmpty() && story.is(fixed, JobState.RUNNING));
        String node = fixed.nodes().getFirst();
        story.slurm.end(fixed, 0, false);
        SimSite site = story.world.site("site1");
        site.provider.end(site.nodes.values().stream()
                .filter(one -> node.equals(one.id))
                .findFirst()
                .orElseThrow()
                .machine);
        story.until("it is over here", () -> story.is(fixed, JobState.FAILED));
        assertThat(isGood(fixed)).isTrue();
        assertThat(fixed.denied).isTrue();
    }

    /** The second run of a job whose output was at home emptied that file, and left in it what had come so far. */
    @Test
    void outputThatIsAtHomeStaysWhenItsJobIsRequeuedAfterItsEnd() {
        story.talking = true;
        story.world.site("site1").runsLong = true;
        SimSlurmJob job = story.submit(INPUT, "site1");
        story.until("it grows", () -> growths(job) > 0);
        story.slurm.end(job, 0, false);
        story.until(
                "its results are at home",
                () -> story.is(job, JobState.STAGING_OUT)
                        && story.record(job).orElseThrow().run().published() != null);
        int before = growths(job);
        story.slurm.again(job.key);
        story.until("it runs again", () -> story.is(job, JobState.RUNNING));
        story.pass(Duration.ofMinutes(1));
        assertThat(story.record(job).orElseThrow().run().attempt()).isEqualTo(2);
        assertThat(growths(job)).isEqualTo(before);
    }

    private int growths(SimSlurmJob job) {
        return story.world.home.growths.getOrDefault(SimSlurmHooks.id(job), 0);
    }

    private static boolean isGood(SimSlurmJob job) {
        return job.status instanceof Status.Ended end && end.exitCode() == 0 && !end.cancelled();
    }

    private List<JobOrder> orders() {
        return story.world.site("site1").directors.values().stream()
                .map(director -> director.directive)
                .filter(Objects::nonNull)
                .flatMap(said -> said.jobs().stream())
                .toList();
    }
}
