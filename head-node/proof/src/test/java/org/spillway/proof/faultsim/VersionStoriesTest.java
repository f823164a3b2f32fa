package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.journal.NodeRecord;

/** A category's version becomes another one: idle nodes follow, and none does under a job. */
final class VersionStoriesTest {
    private static final Duration SOON = Duration.ofMinutes(5);
    private static final String A = "a".repeat(64);
    private static final String B = "b".repeat(64);

    private static Story story() {
        Story story = new Story(StorySetup.USUAL.with(SimImages.ROLES), new SimWorld.Spec("east", 1, 0, "1"));
        story.world.version = A;
        return story;
    }

    private static void done(Story story, String job) {
        story.submit(new Story.Job(job, "east").in(SimImages.QUEUE));
        story.until(job + " is done", SOON, () -> story.state(job) == JobState.DONE);
    }

    private static NodeRecord only(Story story) {
        List<NodeRecord> live = story.journal.nodes().stream()
                .filter(node -> !node.isDirector() && node.isLive())
                .toList();
        assertThat(live).hasSize(1);
        return live.getFirst();
    }

    private static String version(Story story) {
        return story.loop.heard("east").rootOf(only(story).id()).version();
    }

    private static void serves(Story story, String version) {
        story.until(
                "it serves in " + version.charAt(0),
                SOON,
                () -> only(story).nodeState() == NodeState.READY
                        && version(story).equals(version));
    }

    @Test
    void anIdleNodeFollowsAndOneWithAJobDoesWhenThatIsOver() {
        Story story = story();
        done(story, "1");
        NodeRecord first = only(story);
        assertThat(version(story)).isEqualTo(A);
        story.submit(new Story.Job("2", "east").in(SimImages.QUEUE));
        story.until("2 runs", SOON, () -> story.state("2") == JobState.RUNNING);
        story.world.version = B;
        story.until("2 is over", SOON, () -> {
            boolean runs = story.state("2") == JobState.RUNNING;
            if (runs) {
                assertThat(only(story).nodeState()).as("under its job").isEqualTo(NodeState.READY);
                assertThat(version(story)).isEqualTo(A);
            }
            return !runs;
        });
        story.until("it becomes what is wanted", SOON, () -> only(story).nodeState() == NodeState.REPURPOSING);
        assertThat(only(story).cause()).isEqualTo(new NodeCause.Repurposed(SimImages.OTHER, NodeFact.OTHER_VERSION));
        serves(story, B);
        assertThat(only(story).id()).isEqualTo(first.id());
        assertThat(only(story).profile())
                .isEqualTo(new NodeRecord.Profile(SimImages.OTHER, List.of(SimImages.OVERLAY), 1));
        done(story, "3");
    }

    @Test
    void theHeadMayDieOnTheWayAndATagMayMoveTwice() {
        Story before = story();
        done(before, "1");
        before.world.version = B;
        before.until("it is on its way", SOON, () -> only(before).nodeState() == NodeState.REPURPOSING);
        before.world.version = A;
        Story after = before.restarted();
        serves(after, A);
        done(after, "2");
    }

    @Test
    void oneThatDoesNotGetThereIsEndedAndItsPlaceIsTakenByOneThatIs() {
        Story story = story();
        done(story, "1");
        String first = only(story).id();
        story.world.site("east").neverTurns = true;
        story.world.version = B;
        story.until(
                "it is given up",
                SOON,
                () -> story.journal.node(first).orElseThrow().nodeState() == NodeState.TERMINATED);
        story.world.site("east").neverTurns = false;
        done(story, "2");
        assertThat(version(story)).isEqualTo(B);
        assertThat(story.job("2").run().nodes()).doesNotContain(first);
    }
}
