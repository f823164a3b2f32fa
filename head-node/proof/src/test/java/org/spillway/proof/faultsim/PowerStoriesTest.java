package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.journal.DecisionEntry;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.money.BudgetPeriod;
import org.spillway.head.loop.money.Spending;
import org.spillway.head.loop.nodes.NodeAction;
import org.spillway.head.loop.settings.IdleNodes;
import org.spillway.head.loop.state.NodePurchase;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.scaler.plan.Step;

/** Nodes that are stopped where others are ended, and started before another is bought. */
final class PowerStoriesTest {
    private static final Duration SOON = Duration.ofMinutes(5);

    private static Story story(Duration stoppedFor) {
        return new Story(
                StorySetup.USUAL.stopping(new IdleNodes(true, stoppedFor, Map.of("std", Money.parse("0.10")))),
                new SimWorld.Spec("east", 3, 0, "1"));
    }

    private static void done(Story story, String job) {
        story.submit(new Story.Job(job, "east"));
        story.until(job + " is done", SOON, () -> story.state(job) == JobState.DONE);
    }

    private static NodeRecord stopped(Story story) {
        story.until(
                "it is off", SOON, () -> !story.nodes("east", NodeState.STOPPED).isEmpty());
        return story.nodes("east", NodeState.STOPPED).getFirst();
    }

    private static List<NodeRecord> all(Story story) {
        return story.journal.nodes().stream().filter(node -> !node.isDirector()).toList();
    }

    @Test
    void anIdleNodeIsStoppedAndStartedForTheNextJob() {
        Story story = story(Duration.ofDays(1));
        done(story, "1");
        NodeRecord off = stopped(story);
        assertThat(off.cause()).isInstanceOf(NodeCause.PoweredOff.class);
        story.pass(Duration.ofMinutes(10));
        assertThat(story.nodes("east", NodeState.STOPPED)).hasSize(1);
        done(story, "2");
        assertThat(story.job("2").run().nodes()).containsExactly(off.id());
        assertThat(all(story)).as("nothing else was bought").hasSize(1);
        DecisionEntry decision = story.journal.store().decisions().latest(100).stream()
                .map(line -> story.journal.store().decisions().find(line.id()).orElseThrow())
                .filter(one ->
                        one.plan().steps().stream().anyMatch(step -> step instanceof Step.Power power && power.on()))
                .findFirst()
                .orElseThrow();
        assertThat(decision.plan().steps())
                .anySatisfy(step -> assertThat(step).isInstanceOfSatisfying(Step.Power.class, power -> {
                    assertThat(power.node()).isEqualTo(off.id());
                    assertThat(power.committed().isMoreThan(Money.ZERO)).isTrue();
                }));
        assertThat(decision.snapshot().nodes())
                .singleElement()
                .satisfies(node -> assertThat(node.isStartable()).isTrue());
    }

    @Test
    void aStoppedNodeCostsWhatItThenCostsAndTheJournalKnowsIt() {
        Story story = story(Duration.ofDays(1));
        done(story, "1");
        NodeRecord off = stopped(story);
        assertThat(off.purchase().stops())
                .singleElement()
                .satisfies(stop -> assertThat(stop.until()).isNull());
        Money before = accrued(story);
        story.pass(Duration.ofHours(1));
        Money hour = accrued(story).minus(before);
        assertThat(hour).isBetween(Money.parse("0.10"), Money.parse("0.11"));
        assertThat(new Journal(story.world.disk, Instant.MIN).node(off.id()))
                .contains(story.nodes("east", NodeState.STOPPED).getFirst());
        done(story, "2");
        assertThat(story.journal.node(off.id()).orElseThrow().purchase().stops())
                .singleElement()
                .satisfies(stop -> assertThat(stop.until()).isNotNull());
    }

    private static Money accrued(Story story) {
        Instant now = story.world.clock.now();
        return Spending.accrued(all(story), BudgetPeriod.MONTH.start(now, ZoneOffset.UTC), now);
    }

    @Test
    void oneThatIsStoppedForTooLongIsEnded() {
        Story story = story(Duration.ofMinutes(20));
        done(story, "1");
        NodeRecord off = stopped(story);
        story.pass(Duration.ofMinutes(19));
        assertThat(story.journal.node(off.id()).orElseThrow().nodeState()).isEqualTo(NodeState.STOPPED);
        story.until(
                "it is gone",
                SOON,
                () -> story.journal.node(off.id()).orElseThrow().nodeState() == NodeState.TERMINATED);
    }

    @Test
    void oneThatCannotBeStartedKeepsNobodyWaiting() {
        Story story = story(Duration.ofDays(1));
        done(story, "1");
        NodeRecord off = stopped(story);
        story.world.site("east").provider.refusesUntil = story.world.clock.now().plusSeconds(20);
        story.submit(new Story.Job("2", "east"));
        story.untilClosely("it is done", Duration.ofMinutes(15), () -> story.state("2") == JobState.DONE);
        assertThat(all(story).stream().filter(NodeRecord::isLive))
                .as("the one that could not be started, and another")
                .hasSize(2);
        assertThat(story.journal.node(off.id()).orElseThrow().isLive()).isTrue();
    }

    @Test
    void whatAnAdministratorHasPoweredOffStaysOff() {
        Story story = story(Duration.ofMinutes(20));
        done(story, "1");
        String mine = all(story).getFirst().id();
        story.loop.changeNode(mine, NodeAction.POWER_OFF, story.world.clock.now());
        stopped(story);
        done(story, "2");
        assertThat(story.job("2").run().nodes()).doesNotContain(mine);
        story.pass(Duration.ofMinutes(30));
        assertThat(story.journal.node(mine).orElseThrow().nodeState()).isEqualTo(NodeState.STOPPED);
    }

    @Test
    void aGangStartsWhatIsStopped() {
        Story story = story(Duration.ofDays(1));
        story.submit(new Story.Job("1", "east").nodes(2).cpus(SimProvider.CPUS));
        story.until("it is done", SOON, () -> story.state("1") == JobState.DONE);
        story.until(
                "both are off",
                SOON,
                () -> story.nodes("east", NodeState.STOPPED).size() == 2);
        story.submit(new Story.Job("2", "east").nodes(2).cpus(SimProvider.CPUS));
        story.until("it is done", SOON, () -> story.state("2") == JobState.DONE);
        assertThat(all(story)).hasSize(2);
    }

    @Test
    void aPoolExistsAllTheTimeAndRunsWhenNeeded() {
        Story story = new Story(
                StorySetup.USUAL
                        .stopping(new IdleNodes(false, Duration.ofMinutes(20), Map.of()))
                        .pooling(),
                new SimWorld.Spec("east", 3, 2, "1"));
        story.until(
                "the pool was made and is off",
                Duration.ofMinutes(10),
                () -> story.nodes("east", NodeState.STOPPED).size() == 2);
        story.pass(Duration.ofHours(1));
        assertThat(story.nodes("east", NodeState.STOPPED)).as("it is not ended").hasSize(2);
        List<String> pool = all(story).stream().map(NodeRecord::id).toList();
        for (int i = 1; i <= 3; i++) {
            story.submit(new Story.Job(Integer.toString(i), "east").cpus(SimProvider.CPUS));
        }
        story.until(
                "all are done",
                Duration.ofMinutes(15),
                () -> List.of("1", "2", "3").stream().allMatch(job -> story.state(job) == JobState.DONE));
        story.until(
                "it is off again",
                Duration.ofMinutes(15),
                () -> story.nodes("east", NodeState.STOPPED).size() == 2
                        && story.journal.liveNodes("east").stream()
                                        .filter(node -> !node.isDirector())
                                        .count()
                                == 2);
        assertThat(story.nodes("east", NodeState.STOPPED))
                .extracting(NodeRecord::id)
                .containsExactlyInAnyOrderElementsOf(pool);
    }

    @Test
    void aDryRunBuysNothingAndSaysWhatItWouldHaveBought() {
        Story story = new Story(
                StorySetup.USUAL.dry(), new SimWorld.Spec("east", 3, 1, "1"), new SimWorld.Spec("west", 3, 0, "2"));
        story.submit(new Story.Job("1", "west"));
        story.pass(Duration.ofMinutes(30));
        assertThat(story.journal.nodes())
                .as("no node, no director, nothing kept")
                .isEmpty();
        assertThat(story.state("1")).isIn(JobState.STAGING_IN, JobState.QUEUED);
        assertThat(story.waits("1")).isEqualTo(new WaitCause.DryRun("1 x west/a/std/ON_DEMAND would be launched"));
        assertThat(story.loop.plan(story.world.clock.now()).await().plan().steps())
                .singleElement()
                .isInstanceOf(Step.Launch.class);
        List<DecisionEntry> decisions = story.journal.store().decisions().latest(100).stream()
                .map(line -> story.journal.store().decisions().find(line.id()).orElseThrow())
                .toList();
        assertThat(decisions)
                .as("once, not at every tick")
                .singleElement()
                .satisfies(one -> assertThat(one.dry()).isTrue());

        story.loop.addNodes(
                new NodePurchase("west", "std", "", Market.ON_DEMAND, 1, false, "ada"), story.world.clock.now());
        story.until("what is bought by hand serves", SOON, () -> story.state("1") == JobState.DONE);
        story.pass(Duration.ofMinutes(10));
        assertThat(all(story)).as("nothing is released either").allMatch(node -> node.nodeState() == NodeState.READY);
    }
}
