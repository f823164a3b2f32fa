package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.SiteCause;

/** A site whose machines cannot be ended: what is asked meanwhile, and who is told (finding C2). */
final class LockedSiteStoriesTest {
    private static final String LOCK = "ScopeLocked: the scope cannot perform delete operation";
    private static final Duration LATER = Duration.ofMinutes(20);

    @Test
    void aLockIsShownOfNodesAndSiteAndAskedLessAndLess() {
        Story story = new Story(StorySetup.USUAL, new SimWorld.Spec("east", 3, 0, "1"));
        SimSite east = story.world.site("east");
        east.provider.lock = LOCK;
        story.submit(new Story.Job("1", "east"));
        story.until("it is done", LATER, () -> story.state("1") == JobState.DONE);
        story.until(
                "a node cannot be ended",
                LATER,
                () -> story.journal.nodes().stream()
                        .anyMatch(node -> node.nodeState() == NodeState.TERMINATING
                                && node.cause() instanceof NodeCause.NotEnded));
        assertThat(story.loop.trouble("east"))
                .isInstanceOfSatisfying(
                        SiteCause.EndsRefused.class,
                        refused -> assertThat(refused.said()).isEqualTo(LOCK));
        int before = east.provider.endsAsked;
        story.pass(Duration.ofMinutes(10));
        long machines = story.journal.nodes().stream()
                .filter(node -> node.nodeState() == NodeState.TERMINATING)
                .count();
        assertThat(east.provider.endsAsked - before).isLessThanOrEqualTo((int) machines * 10);

        east.provider.lock = "";
        story.until(
                "all have ended",
                LATER,
                () -> story.journal.nodes().stream()
                        .allMatch(node -> node.nodeState().isTerminal()));
        assertThat(story.loop.trouble("east")).isEqualTo(Cause.NONE);
        assertThat(story.journal.nodes()).noneMatch(node -> node.cause() instanceof NodeCause.NotEnded);
    }
}
