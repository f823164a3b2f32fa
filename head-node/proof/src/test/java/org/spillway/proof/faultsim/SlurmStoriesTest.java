package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.JobOrder;
import org.spillway.head.cause.JobCause;
import org.spillway.head.cause.JobCause.JobFact;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.cause.SiteCause;
import org.spillway.head.cause.Told;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.JournalStore.Transition;
import org.spillway.head.loop.handover.DataAnswer;
import org.spillway.head.loop.nodes.NodeAction;
import org.spillway.head.workload.ForeignJob.Status;
import org.spillway.policy.Money;

/** The head's work on jobs that were given to a Slurm. */
final class SlurmStoriesTest {
    private static final SimWorld.Spec SITE = new SimWorld.Spec("site1", 2, 0, "3.60");
    private static final List<JobSpec.Input> INPUT = List.of(new JobSpec.Input("/home/u/in", ""));

    private final SlurmStory story = new SlurmStory(SITE);

    @Test
    void takesThousandsOfJobsOverInOneWriteAndNoneOfThemTwice() {
        for (int i = 0; i < 3_000; i++) {
            story.submit(INPUT, "site1").status = new Status.Held("JobHeldUser");
        }
        story.until("they are taken over", () -> story.journal.jobs().size() == 3_000);
        assertThat(story.store.jobWrites).isEqualTo(1);
        assertThat(story.journal.jobs()).allMatch(job -> job.jobState() == JobState.HELD);
        story.restart();
        story.pass(Duration.ofSeconds(5));
        assertThat(story.journal.jobs()).hasSize(3_000);
        assertThat(story.store.jobWrites).isEqualTo(1);
    }

    @Test
    void staysAwayFromWhatRunsElsewhereOrIsOver() {
        SimSlurmJob elsewhere = story.submit(List.of(), "site1");
        elsewhere.status = new Status.Allocated(List.of(), 0, story.world.clock.now());
        SimSlurmJob over = story.submit(List.of(), "site1");
        story.slurm.end(over, 0, false);
        SimSlurmJob nowhere = story.submit(List.of(), "unknown");
        story.pass(Duration.ofSeconds(10));
        assertThat(story.record(elsewhere)).isEmpty();
        assertThat(story.record(over)).isEmpty();
        assertThat(story.record(nowhere)).isEmpty();
        assertThat(story.loop.data().out(over.number)).isEqualTo(new DataAnswer.Ready());
    }

    @Test
    void runsAJobFromItsDataToItsResults() {
        SimSlurmJob job = story.submit(INPUT, "site1");
        story.until("its order is told", () -> !orders().isEmpty());
        assertThat(orders().getFirst().foreign()).isEqualTo(new JobOrder.Foreign("slurm", job.number, "/home/u"));
        assertThat(grants()).allMatch(grant -> grant.manager() != null);
        story.until("it has nodes", () -> job.status instanceof Status.Allocated);
        Instant run = ((Status.Allocated) job.status).since();
        story.until("it leaves Slurm", () -> job.leftAt != null);
        story.until("it is over here", () -> story.is(job, JobState.DONE));
        JobRecord record = story.record(job).orElseThrow();
        assertThat(record.run().foreign()).isEqualTo(new JobRun.Foreign(job.number, 0, run));
        assertThat(record.spec().outputs()).extracting(JobSpec.Output::pattern).containsExactly("out", "slurm-1.out");
        assertThat(story.world.home.hasPublished(record.id())).isTrue();
        assertThat(story.world.disk.timeline("job", record.id()))
                .extracting(Transition::to)
                .containsExactly("SUBMITTED", "STAGING_IN", "QUEUED", "RUNNING", "STAGING_OUT", "DONE");
    }

    private List<JobOrder> orders() {
        return directives().stream().flatMap(said -> said.jobs().stream()).toList();
    }

    private List<Directive.NodeGrant> grants() {
        return directives().stream().flatMap(said -> said.nodes().stream()).toList();
    }

    private List<Directive> directives() {
        return story.world.site("site1").directors.values().stream()
                .map(director -> director.directive)
                .filter(said -> said != null)
                .toList();
    }

    @Test
    void aRunThatIsBrokenOffLeavesItsInputAndNothingElse() {
        SimSlurmJob job = story.submit(INPUT, "site1");
        story.until("it runs", () -> job.started.size() == 1);
        story.slurm.breakOff(job);
        // Without the journal's word on which run it was, the two could not be told apart now.
        story.restart();
        story.until("it leaves Slurm", () -> job.leftAt != null);
        story.until("it is over here", () -> story.is(job, JobState.DONE));
        JobRecord record = story.record(job).orElseThrow();
        assertThat(record.run().attempt()).isEqualTo(2);
        assertThat(record.run().foreign().restarts()).isEqualTo(1);
        assertThat(job.runOfAttempt).containsEntry(1, 0).containsEntry(2, 1);
        assertThat(story.world.disk.timeline("job", record.id()))
                .extracting(Transition::to)
                .containsOnlyOnce("STAGING_IN");
    }

    @Test
    void aRunThatAKilledManagerHasForgottenIsNotTakenForTheNextOne() {
        SimSlurmJob job = story.submit(INPUT, "site1");
        story.until("it runs", () -> job.started.size() == 1);
        story.until("its attempt is known", () -> story.is(job, JobState.RUNNING));
        Instant first = ((Status.Allocated) job.status).since();
        story.slurm.forgetRun(job);
        story.restart();
        story.until("it leaves Slurm", () -> job.leftAt != null);
        story.until("it is over here", () -> story.is(job, JobState.DONE));
        JobRecord record = story.record(job).orElseThrow();
        assertThat(job.restarts).isZero();
        assertThat(record.run().attempt()).isEqualTo(2);
        assertThat(record.run().foreign().since()).isAfter(first);
        assertThat(job.runOfAttempt).containsEntry(1, 0).containsEntry(2, 1);
    }

    @Test
    void anEndThatAKilledManagerHasForgottenIsRunOnceMoreAndPublishedOnce() {
        SimSlurmJob job = story.submit(INPUT, "site1");
        story.until(
                "its results are in their places",
                () -> story.record(job)
                        .filter(record -> record.run().published() != null)
                        .isPresent());
        // Over there and not yet here: nobody knows whether it is written down.
        assertThat(story.is(job, JobState.STAGING_OUT)).isTrue();
        story.slurm.forgetEnd(job);
        story.until("it runs again", () -> job.runOfAttempt.size() == 2);
        story.until("it leaves Slurm", () -> job.leftAt != null);
        story.until(
                "it is over here",
                () -> story.record(job).filter(JobRecord::isLive).isEmpty());
        JobRecord record = story.record(job).orElseThrow();
        assertThat(record.run().attempt()).isEqualTo(2);
        assertThat(story.world.home.hasPublished(record.id())).isTrue();
        assertThat(((Status.Ended) job.status).cancelled()).isFalse();
    }

    @Test
    void aRunThatEndedElsewhereWhileNobodyListenedIsNoFailure() {
        SimSlurmJob job = story.submit(INPUT, "site1");
        story.until("its attempt is known", () -> story.is(job, JobState.RUNNING));
        story.slurm.breakOff(job);
        story.slurm.runElsewhere(job);
        story.slurm.end(job, 0, false);
        story.restart();
        story.until(
                "it is over here",
                () -> story.record(job).filter(JobRecord::isLive).isEmpty());
        JobRecord record = story.record(job).orElseThrow();
        assertThat(record.cause().all())
                .anyMatch(cause -> cause == JobFact.LAST_RUN_ELSEWHERE || cause instanceof JobCause.EndedElsewhere);
        assertThat(record.jobState()).isEqualTo(JobState.DONE);
        assertThat(story.world.home.hasPublished(record.id())).isFalse();
    }

    @Test
    void aRunThatPassedItsGateUnaskedIsMadeAgain() {
        SimSlurmJob job = story.submit(INPUT, "site1");
        story.until("it runs", () -> job.started.size() == 1);
        Set<String> nodes = Set.copyOf(job.nodes());
        story.slurm.forgetRun(job);
        job.remembering.addAll(nodes);
        story.until("it has ended unattended", () -> job.run == 1 && job.isEnded());
        assertThat(job.runOfAttempt).containsOnlyKeys(1);
        story.until("it leaves Slurm", () -> job.leftAt != null && story.is(job, JobState.DONE));
        JobRecord record = story.record(job).orElseThrow();
        assertThat(record.run().foreign().restarts()).isEqualTo(job.restarts);
        assertThat(job.runOfAttempt).containsValue(job.run);
        assertThat(story.world.home.hasPublished(record.id())).isTrue();
    }

    @Test
    void aUsersRequeueThatPassesItsGateUnaskedIsMadeAgain() {
        SimSlurmJob job = story.submit(INPUT, "site1");
        story.until("it runs", () -> job.started.size() == 1);
        Set<String> nodes = Set.copyOf(job.nodes());
        story.slurm.breakOff(job);
        job.remembering.addAll(nodes);
        story.until("it has ended unattended", () -> job.run == 1 && job.isEnded());
        assertThat(job.runOfAttempt).containsOnlyKeys(1);
        story.until("it leaves Slurm", () -> job.leftAt != null && story.is(job, JobState.DONE));
        assertThat(job.restarts).isGreaterThan(1);
        assertThat(job.runOfAttempt).containsValue(job.run);
        assertThat(story.world.home.hasPublished(SimSlurmHooks.id(job))).isTrue();
    }

    @Test
    void whatMayNotRunAgainHasFailedAndSaysWhy() {
        SimSlurmJob job = story.submit(false, INPUT, "site1");
        story.until("it runs", () -> job.started.size() == 1);
        Set<String> nodes = Set.copyOf(job.nodes());
        story.slurm.forgetRun(job);
        job.remembering.addAll(nodes);
        story.until(
                "it is over here",
                () -> story.record(job).filter(JobRecord::isLive).isEmpty());
        assertThat(story.record(job)).hasValueSatisfying(record -> {
            assertThat(record.jobState()).isEqualTo(JobState.FAILED);
            assertThat(record.cause().all())
                    .anyMatch(cause -> cause instanceof JobCause.NotRequeued
                            || cause instanceof JobCause.ResultsNotSent
                            || (cause instanceof JobCause.RunLost lost && !lost.requeue()));
        });
        assertThat(job.denied || !(job.status instanceof Status.Ended end && end.exitCode() == 0 && !end.cancelled()))
                .as("Slurm says so, too")
                .isTrue();
        assertThat(story.world.home.hasPublished(SimSlurmHooks.id(job))).isFalse();
    }

    @Test
    void whatAKilledManagerRemembersComesToItsEnd() {
        List<SimSlurmJob> jobs = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            jobs.add(story.submit(INPUT, "site1"));
        }
        for (int i = 0; i < 4; i++) {
            story.until(
                    "one begins", () -> jobs.stream().anyMatch(job -> !job.started.isEmpty() || job.leftAt != null));
            story.slurm.kill();
            story.pass(Duration.ofSeconds(4));
        }
        story.until(
                "all are over",
                () -> jobs.stream()
                        .allMatch(job -> !story.slurm.jobs.containsKey(job.key)
                                || (job.leftAt != null
                                        && !story.record(job).orElseThrow().isLive())));
        assertThat(jobs)
                .filteredOn(job -> story.slurm.jobs.containsKey(job.key))
                .isNotEmpty()
                .allMatch(job -> story.world.home.hasPublished(SimSlurmHooks.id(job)));
    }

    @Test
    void aNodeThatAKilledManagerHasForgottenRegistersAgain() {
        SimSlurmJob first = story.submit(INPUT, "site1");
        story.until("it has nodes", () -> first.status instanceof Status.Allocated);
        String node = first.nodes().getFirst();
        story.slurm.nodes.forgetNodes(Instant.MIN);
        story.slurm.kill();
        assertThat(story.slurm.nodes.absentSince(node)).isPresent();
        story.until("it is there", () -> story.slurm.nodes.absentSince(node).isEmpty());
        story.until("its job leaves", () -> first.leftAt != null);
        assertThat(story.nodes(NodeState.READY)).extracting(found -> found.id()).contains(node);
    }

    @Test
    void aNodeThatNeverRegistersIsReplaced() {
        SimSlurmJob job = story.submit(INPUT, "site1");
        story.until("a node comes", () -> !story.nodes(NodeState.BOOTING).isEmpty());
        List<String> silent =
                story.nodes(NodeState.BOOTING).stream().map(found -> found.id()).toList();
        story.slurm.nodes.mute.addAll(silent);
        story.until("it is ready", () -> !story.nodes(NodeState.READY).isEmpty());
        story.until(
                "it is given up",
                () -> story.nodes(NodeState.TERMINATED).stream().anyMatch(found -> silent.contains(found.id())));
        assertThat(silent)
                .anySatisfy(node -> assertThat(story.world.disk.timeline("node", node))
                        .extracting(Transition::cause)
                        .contains(NodeFact.NOT_REGISTERED));
        story.until("its job is done on another", () -> story.is(job, JobState.DONE));
        assertThat(story.record(job).orElseThrow().run().nodes()).doesNotContainAnyElementsOf(silent);
    }

    @Test
    void aHeldJobBuysNothing() {
        SimSlurmJob job = story.submit(INPUT, "site1");
        job.status = new Status.Held("JobHeldUser");
        story.pass(Duration.ofSeconds(30));
        assertThat(story.record(job)).hasValueSatisfying(record -> {
            assertThat(record.jobState()).isEqualTo(JobState.HELD);
            assertThat(record.cause()).isEqualTo(new Told("JobHeldUser"));
        });
        assertThat(story.journal.nodes()).isEmpty();
        story.slurm.release(job);
        story.until("it goes on", () -> story.is(job, JobState.QUEUED));
        job.status = new Status.Held("JobHeldUser");
        story.until("it is held with its data", () -> story.is(job, JobState.HELD));
        story.slurm.release(job);
        story.until("it is done", () -> story.is(job, JobState.DONE));
    }

    @Test
    void whatCannotBeStagedIsHeldUntilItsUserHasMendedIt() {
        story.slurm.refusals = 1;
        SimSlurmJob job = story.submit(INPUT, "site1");
        story.until("Slurm holds it", () -> job.status instanceof Status.Held);
        JobCause why = new JobCause.Unstageable("may not read /home/u/in");
        assertThat(job.status).isEqualTo(new Status.Held("burst buffer: " + why.text()));
        assertThat(story.record(job)).hasValueSatisfying(record -> {
            assertThat(record.jobState()).isEqualTo(JobState.HELD);
            assertThat(record.cause()).isEqualTo(why);
        });
        story.pass(Duration.ofSeconds(30));
        assertThat(story.is(job, JobState.HELD)).isTrue();
        story.slurm.release(job);
        story.until("it is done", () -> story.is(job, JobState.DONE));
    }

    @Test
    void aJobIsCancelledFromEitherSide() {
        SimSlurmJob here = story.submit(INPUT, "site1");
        SimSlurmJob there = story.submit(INPUT, "site1");
        SimSlurmJob waiting = story.submit(INPUT, "site1");
        waiting.status = new Status.Held("JobHeldUser");
        story.until("they run", () -> !here.started.isEmpty() && !there.started.isEmpty());
        cancel(here);
        cancel(waiting);
        story.slurm.end(there, 0, true);
        story.until(
                "they are over",
                () -> List.of(here, there, waiting).stream().allMatch(job -> story.is(job, JobState.CANCELLED)));
        assertThat(here.status).isInstanceOf(Status.Ended.class);
        assertThat(waiting.status).isInstanceOf(Status.Ended.class);
    }

    private void cancel(SimSlurmJob job) {
        JobRecord record = story.record(job).orElseThrow();
        story.journal.commit(story.world.clock.now(), record.with(record.run().withCancelled()));
    }

    @Test
    void aJobThatRunsElsewhereIsItsManagersAlone() {
        SimSlurmJob job = story.submit(INPUT, "site1");
        story.until("it is taken over", () -> story.record(job).isPresent());
        story.slurm.runElsewhere(job);
        story.until("it is left alone", () -> story.is(job, JobState.HELD));
        assertThat(story.record(job).orElseThrow().run().site()).isEmpty();
        story.until(
                "it is over", () -> story.record(job).filter(JobRecord::isLive).isEmpty());
        assertThat(story.record(job).orElseThrow().cause()).isInstanceOf(JobCause.EndedElsewhere.class);
        assertThat(story.world.home.hasPublished(SimSlurmHooks.id(job))).isFalse();
    }

    @Test
    void aJobThatNobodyKnowsAnyMoreHasFailed() {
        SimSlurmJob job = story.submit(INPUT, "site1");
        story.until("it runs", () -> job.started.size() == 1);
        story.slurm.forget(job);
        story.until(
                "it is over", () -> story.record(job).filter(JobRecord::isLive).isEmpty());
        assertThat(story.record(job)).hasValueSatisfying(record -> {
            assertThat(record.jobState()).isEqualTo(JobState.FAILED);
            assertThat(record.cause()).isEqualTo(new JobCause.ScriptFailed(JobFact.UNKNOWN_TO_MANAGER, 255));
        });
    }

    @Test
    void whatHasEndedHereIsNotRunAgain() {
        SimSlurmJob job = story.submit(List.of(), "site1");
        story.until("it leaves Slurm", () -> job.leftAt != null);
        story.until("it is over here", () -> story.is(job, JobState.DONE));
        story.slurm.breakOff(job);
        story.until("it is ended there", job::isEnded);
        assertThat(story.record(job).orElseThrow().run().attempt()).isEqualTo(1);
    }

    @Test
    void aDrainedNodeStaysUntilItsManagerSaysThatNothingIsThere() {
        SimSlurmJob job = story.submit(List.of(), "site1");
        story.until("it leaves Slurm", () -> job.leftAt != null);
        String node = story.nodes(NodeState.READY).getFirst().id();
        story.slurm.awayUntil = Instant.MAX;
        story.loop.changeNode(node, NodeAction.REMOVE, story.world.clock.now());
        story.pass(Duration.ofSeconds(30));
        assertThat(story.nodes(NodeState.DRAINING))
                .extracting(found -> found.id())
                .containsExactly(node);
        story.slurm.awayUntil = null;
        story.until(
                "it is gone",
                () -> story.nodes(NodeState.TERMINATED).stream()
                        .anyMatch(found -> found.id().equals(node)));
    }

    @Test
    void nothingIsBoughtForJobsOfASlurmThatWasNotHeard() {
        SimSlurmJob job = story.submit(List.of(), "site1");
        story.until("it is taken over", () -> story.record(job).isPresent());
        story.slurm.awayUntil = Instant.MAX;
        story.restart();
        story.pass(Duration.ofMinutes(3));
        assertThat(story.journal.nodes()).noneMatch(node -> !node.isDirector());
        assertThat(story.loop.data().out("4711")).isInstanceOf(DataAnswer.Wait.class);
        story.slurm.awayUntil = null;
        story.until("it is done", () -> story.is(job, JobState.DONE));
    }

    @Test
    void noMoreNodesAreBoughtThanAreDeclared() {
        story.slurm.declared = 1;
        List<SimSlurmJob> jobs = new ArrayList<>();
        for (int i = 0; i < 3 * SimProvider.CPUS; i++) {
            jobs.add(story.submit(List.of(), "site1"));
        }
        story.until("they leave Slurm", () -> jobs.stream().allMatch(job -> job.leftAt != null));
        assertThat(story.journal.nodes()).filteredOn(node -> !node.isDirector()).hasSize(1);
    }

    @Test
    void aJobWithoutMoneyWaitsAndIsToldWhy() {
        SlurmStory poor = new SlurmStory(Money.parse("0.01"), SITE);
        SimSlurmJob job = poor.submit(INPUT, "site1");
        poor.pass(Duration.ofMinutes(1));
        assertThat(poor.loop.data().in(job.number)).isInstanceOf(DataAnswer.Wait.class);
        assertThat(poor.loop.standing(poor.record(job).orElseThrow()).cause().all())
                .anyMatch(cause -> cause instanceof WaitCause.Budget || cause instanceof SiteCause.BudgetForDirector);
        assertThat(poor.slurm.told).containsKey(job.key);
    }
}
