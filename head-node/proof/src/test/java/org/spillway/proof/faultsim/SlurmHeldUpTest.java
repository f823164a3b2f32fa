package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.limits.QueueLimits;
import org.spillway.head.loop.handover.DataAnswer;
import org.spillway.head.workload.ForeignJob;
import org.spillway.head.workload.ForeignJob.Status;
import org.spillway.policy.Resources;

/** A job that cannot go on neither stops the others nor keeps what is paid. */
final class SlurmHeldUpTest {
    private final SlurmStory story =
            new SlurmStory(new SimWorld.Spec("site1", 2, 0, "3.60"), new SimWorld.Spec("site2", 2, 0, "3.60"));

    private SimSlurmJob submit(Duration walltime, List<JobSpec.Output> outputs) {
        return story.slurm.submit(new ForeignJob.Facts(
                "job",
                new JobSpec.Owner("u", 1000, 1000),
                "q",
                List.of("site1", "site2"),
                new JobSpec.Need(Resources.of(1, 1L << 30, 0), 1, walltime),
                0,
                true,
                new JobSpec.Data(List.of(), outputs, "/home/u"),
                story.world.clock.now(),
                JobSpec.Terms.NONE));
    }

    private String warmNode(String site) {
        SimSlurmJob first = story.submit(List.of(), site);
        story.until("it runs", () -> story.is(first, JobState.RUNNING));
        return story.record(first).orElseThrow().run().nodes().getFirst();
    }

    private boolean isGone(String node) {
        return story.nodes(NodeState.TERMINATED).stream()
                .anyMatch(found -> found.id().equals(node));
    }

    /** M7: on 7b3e1e2 the head took over whatever there was. */
    @Test
    void whatIsBeyondTheQueueStaysWithSlurmUntilThereIsRoom() {
        var small = new SlurmStory(new QueueLimits(2, 2, 2, Long.MAX_VALUE), new SimWorld.Spec("site1", 2, 0, "3.60"));
        List<SimSlurmJob> jobs = IntStream.range(0, 5)
                .mapToObj(i -> small.submit(List.of(), "site1"))
                .toList();
        small.until("all have ended", () -> {
            // A job that Slurm has given nodes is taken over, whatever there is.
            if (jobs.stream().allMatch(job -> job.nodes().isEmpty())) {
                assertThat(small.journal.liveJobCount()).isLessThanOrEqualTo(2);
            }
            return jobs.stream().allMatch(job -> small.is(job, JobState.DONE));
        });
    }

    @Test
    void aNodeWhoseJobIsNotPaidIsEnded() {
        String node = warmNode("site1");
        SimSlurmJob dear = submit(Duration.ofDays(3650), List.of());
        story.until("Slurm gives it the node", () -> dear.nodes().contains(node));
        story.until("its user hears why it waits", () -> hears(dear, WaitCause.Budget.class));
        story.until("the node is gone", () -> isGone(node));
        story.pass(Duration.ofMinutes(2));
        assertThat(dear.status).isInstanceOf(Status.Waiting.class);
        assertThat(story.record(dear).orElseThrow().run().attempt()).isZero();
        assertThat(story.journal.nodes()).noneMatch(found -> !found.isDirector() && found.isLive());
    }

    @Test
    void aGangOverTwoSitesIsBrokenOffAndRunsInOne() {
        String here = warmNode("site1");
        String there = warmNode("site2");
        SimSlurmJob gang = submit(Duration.ofSeconds(60), List.of());
        gang.status = new Status.Allocated(List.of(here, there), 0, story.world.clock.now());
        story.until("its user hears why it waits", () -> hears(gang, WaitCause.SitesMixed.class));
        story.until("its run is broken off", () -> gang.restarts > 0);
        story.until("it is done", () -> story.is(gang, JobState.DONE));
        assertThat(isGone(here) || isGone(there)).isTrue();
    }

    @Test
    @SuppressWarnings("NullAway") // stands for whatever nobody has thought of
    void aJobThatCannotBeReadIsEndedAndTheOthersGoOn() {
        SimSlurmJob strange =
                submit(Duration.ofSeconds(60), List.of(new JobSpec.Output(null, "/home/u/out", false, false)));
        SimSlurmJob other = story.submit(List.of(), "site1");
        story.until("the other is done", () -> story.is(other, JobState.DONE));
        assertThat(strange.status).isInstanceOf(Status.Ended.class);
        assertThat(story.record(strange).filter(JobRecord::isLive)).isEmpty();
    }

    @Test
    void whoAsksForAnOldJobAfterARestartNeedNotWaitForANewOne() {
        story.pass(Duration.ofSeconds(5));
        assertThat(story.loop.data().out("4711")).isEqualTo(new DataAnswer.Ready());
    }

    private boolean hears(SimSlurmJob job, Class<? extends Cause> why) {
        return story.slurm.told.containsKey(job.key)
                && story.record(job)
                        .map(record -> story.loop.standing(record).cause())
                        .filter(why::isInstance)
                        .isPresent();
    }
}
