package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.head.journal.DecisionEntry;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.Loop;
import org.spillway.head.loop.nodes.NodeAction;
import org.spillway.head.loop.nodes.NodeTurn;
import org.spillway.head.loop.nodes.OrderRefused;
import org.spillway.scaler.plan.Step;

/** An idle node is made another category's. */
final class RepurposeStoriesTest {
    private static final Duration SOON = Duration.ofMinutes(5);
    /** A few: {@code spillway simulate-faults} runs thousands, of this kind too. */
    private static final int SEEDS = 6;

    private static Story story(int maxNodes) {
        return new Story(StorySetup.USUAL.with(SimImages.ROLES), new SimWorld.Spec("east", maxNodes, 0, "1"));
    }

    private static void done(Story story, String job, String queue) {
        story.submit(new Story.Job(job, "east").in(queue));
        story.until(job + " is done", SOON, () -> story.state(job) == JobState.DONE);
    }

    private static List<NodeRecord> all(Story story) {
        return story.journal.nodes().stream().filter(node -> !node.isDirector()).toList();
    }

    private static NodeRecord only(Story story) {
        assertThat(all(story)).hasSize(1);
        return all(story).getFirst();
    }

    @Test
    void theOnlyNodeThatMayBeThereServesBothCategoriesInTurn() {
        Story story = story(1);
        done(story, "1", "q");
        NodeRecord before = only(story);
        assertThat(before.profile()).isEqualTo(NodeRecord.Profile.PLAIN);
        done(story, "2", SimImages.QUEUE);
        NodeRecord after = only(story);
        assertThat(after.profile()).isEqualTo(new NodeRecord.Profile(SimImages.OTHER, List.of(SimImages.OVERLAY), 1));
        assertThat(after.costFrom()).as("its price went on").isEqualTo(before.costFrom());
        assertThat(after.costTo()).isNull();
        assertThat(after.committedFor()).isGreaterThan(before.committedFor());
        done(story, "3", "q");
        assertThat(only(story).profile()).isEqualTo(new NodeRecord.Profile("", List.of(), 2));
        List<Step.Repurpose> steps = story.journal.store().decisions().latest(100).stream()
                .map(line -> story.journal.store().decisions().find(line.id()).orElseThrow())
                .map(DecisionEntry::plan)
                .flatMap(plan -> plan.steps().stream())
                .filter(Step.Repurpose.class::isInstance)
                .map(Step.Repurpose.class::cast)
                .toList();
        assertThat(steps).extracting(Step.Repurpose::category).containsExactlyInAnyOrder(SimImages.OTHER, "");
    }

    @Test
    void oneThatDoesNotBecomeAnotherInTimeIsEndedAndItsJobRunsElsewhere() {
        Story story = story(1);
        done(story, "1", "q");
        String first = only(story).id();
        story.world.site("east").neverTurns = true;
        story.submit(new Story.Job("2", "east").in(SimImages.QUEUE));
        story.until("it is on its way", SOON, () -> only(story).nodeState() == NodeState.REPURPOSING);
        assertThat(new Journal(story.world.disk, Instant.MIN).node(first).orElseThrow())
                .as("durable before anybody is told")
                .isEqualTo(only(story));
        story.until(
                "it is given up",
                SOON,
                () -> story.journal.node(first).orElseThrow().nodeState() == NodeState.TERMINATED);
        assertThat(story.state("2")).isNotEqualTo(JobState.RUNNING);
        story.world.site("east").neverTurns = false;
        story.until("2 is done", SOON, () -> story.state("2") == JobState.DONE);
        assertThat(story.job("2").run().nodes()).doesNotContain(first);
    }

    @Test
    void aNodeOfTheCategoryIsLaunchedWhileTheOthersAreBusy() {
        Story story = story(2);
        story.submit(new Story.Job("1", "east"), new Story.Job("2", "east").in(SimImages.QUEUE));
        story.until(
                "both are done", SOON, () -> story.state("1") == JobState.DONE && story.state("2") == JobState.DONE);
        assertThat(all(story))
                .hasSize(2)
                .allSatisfy(node -> assertThat(node.profile().turn()).isZero());
        assertThat(story.job("1").run().nodes())
                .isNotEqualTo(story.job("2").run().nodes());
    }

    private static NodeRecord turn(Story story, NodeTurn.Kind kind, String name, boolean drain) {
        return story.loop.turnNode(only(story).id(), new NodeTurn(kind, name, drain), story.world.clock.now());
    }

    private static void ready(Story story, String what) {
        story.until(what, SOON, () -> only(story).nodeState() == NodeState.READY);
    }

    /** A node that an administrator has made another stays so until the administrator says otherwise. */
    @Test
    void oneThatWasRepurposedByHandIsLeftAloneByTheScalerUntilItIsGivenBack() {
        Story story = story(1);
        done(story, "1", "q");
        String first = only(story).id();
        NodeRecord told = turn(story, NodeTurn.Kind.REPURPOSE, SimImages.OTHER, false);
        assertThat(told.nodeState()).isEqualTo(NodeState.REPURPOSING);
        assertThat(new Journal(story.world.disk, Instant.MIN).node(first).orElseThrow())
                .as("durable before anybody is told")
                .isEqualTo(told);
        assertThat(turn(story, NodeTurn.Kind.REPURPOSE, SimImages.OTHER, false))
                .as("what is so already is success")
                .isEqualTo(told);
        story.loop.changeNode(first, NodeAction.KEEP, story.world.clock.now());
        ready(story, "it is the other");
        assertThat(only(story).profile())
                .isEqualTo(new NodeRecord.Profile(SimImages.OTHER, List.of(SimImages.OVERLAY), 1, true));
        story.submit(new Story.Job("2", "east"));
        story.pass(Duration.ofMinutes(3));
        assertThat(only(story).profile().turn())
                .as("the scaler leaves it alone")
                .isEqualTo(1);
        assertThat(story.state("2")).isEqualTo(JobState.QUEUED);
        story.loop.changeNode(first, NodeAction.UNFIX, story.world.clock.now());
        story.until("2 is done", SOON, () -> story.state("2") == JobState.DONE);
        assertThat(only(story).profile()).isEqualTo(new NodeRecord.Profile("", List.of(), 2));
    }

    @Test
    void aBusyOneIsRefusedOrDrainedFirstAndThatOutlivesTheHead() {
        Story story = story(1);
        story.submit(new Story.Job("1", "east"));
        story.until("1 runs", SOON, () -> story.state("1") == JobState.RUNNING);
        assertThatThrownBy(() -> turn(story, NodeTurn.Kind.JOIN, SimImages.OVERLAY, false))
                .isInstanceOf(OrderRefused.class)
                .hasMessage(only(story).id() + " runs 1 job");
        assertThat(only(story).nodeState()).isEqualTo(NodeState.READY);
        NodeRecord told = turn(story, NodeTurn.Kind.JOIN, SimImages.OVERLAY, true);
        assertThat(told.nodeState()).isEqualTo(NodeState.DRAINING);
        assertThat(told.profile()).as("what its job needs").isEqualTo(NodeRecord.Profile.PLAIN);
        Story next = story.restarted();
        assertThat(only(next)).isEqualTo(told);
        next.until("1 has ended", SOON, () -> next.state("1").isTerminal());
        ready(next, "it has joined");
        assertThat(only(next).profile()).isEqualTo(new NodeRecord.Profile("", List.of(SimImages.OVERLAY), 1, true));
        assertThat(only(next).care()).isEqualTo(NodeRecord.Care.NONE);
        assertThat(turn(next, NodeTurn.Kind.LEAVE, SimImages.OVERLAY, false).nodeState())
                .isEqualTo(NodeState.REPURPOSING);
        assertThatThrownBy(() -> turn(next, NodeTurn.Kind.JOIN, SimImages.OVERLAY, true))
                .as("first it becomes what it was told")
                .isInstanceOf(OrderRefused.class);
        ready(next, "it has left");
        assertThat(only(next).profile()).isEqualTo(new NodeRecord.Profile("", List.of(), 2, true));
    }

    @Test
    void anOrderThatWaitsIsTakenBackByAnother() {
        Story story = story(1);
        story.submit(new Story.Job("1", "east"));
        story.until("1 runs", SOON, () -> story.state("1") == JobState.RUNNING);
        turn(story, NodeTurn.Kind.JOIN, SimImages.OVERLAY, true);
        NodeRecord other = turn(story, NodeTurn.Kind.REPURPOSE, SimImages.OTHER, true);
        assertThat(other.care().next())
                .isEqualTo(new NodeRecord.Profile(SimImages.OTHER, List.of(SimImages.OVERLAY), 1, true));
        NodeRecord back = turn(story, NodeTurn.Kind.REPURPOSE, "", false);
        assertThat(back.nodeState()).isEqualTo(NodeState.READY);
        assertThat(back.care()).isEqualTo(NodeRecord.Care.NONE);
        turn(story, NodeTurn.Kind.REPURPOSE, SimImages.OTHER, true);
        story.loop.changeNode(other.id(), NodeAction.RESUME, story.world.clock.now());
        done(story, "2", "q");
        assertThat(only(story).profile().turn()).isZero();
    }

    @Test
    void whatThereIsNotIsRefusedWithWhatThereIs() {
        Story story = story(1);
        done(story, "1", "q");
        assertThatThrownBy(() -> turn(story, NodeTurn.Kind.REPURPOSE, "oter", false))
                .isInstanceOfSatisfying(OrderRefused.class, refused -> {
                    assertThat(refused).hasMessage("there is no category 'oter'");
                    assertThat(refused.hint()).isEqualTo("there is other");
                });
        assertThatThrownBy(() -> turn(story, NodeTurn.Kind.JOIN, "nothing", false))
                .isInstanceOf(OrderRefused.class)
                .hasMessage("there is no overlay 'nothing'");
        story.loop.changeNode(only(story).id(), NodeAction.REMOVE, story.world.clock.now());
        assertThatThrownBy(() -> turn(story, NodeTurn.Kind.REPURPOSE, SimImages.OTHER, false))
                .as("it is going")
                .isInstanceOf(OrderRefused.class);
        story.loop.beginRelease();
        assertThatThrownBy(() -> turn(story, NodeTurn.Kind.REPURPOSE, SimImages.OTHER, false))
                .isInstanceOf(OrderRefused.class);
    }

    /** Head, director and node die at any point; nothing runs on a node that is not wholly what the job needs. */
    @Test
    void holdsWhateverDies() {
        List<Verdict> broken = LongStream.rangeClosed(1, SEEDS)
                .mapToObj(seed -> FaultSimulation.run(seed, Loop::new, Kind.ROLES))
                .filter(verdict -> !verdict.holds())
                .toList();
        assertThat(broken).isEmpty();
    }
}
