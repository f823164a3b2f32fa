package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.journal.NodeRecord;

/** Nodes that fall sick while they serve, with the production loop. */
final class SickNodeStoriesTest {
    private static final Duration LATER = Duration.ofMinutes(10);
    private static final String XID = "xids: NVRM: Xid 79, GPU has fallen off the bus";

    private Story story = story();

    private static Story story() {
        Story story = new Story(StorySetup.USUAL, new SimWorld.Spec("east", 6, 0, "1"));
        story.world.site("east").runsLong = true;
        return story;
    }

    private String runs(String job, Duration lasting) {
        story.submit(new Story.Job(job, "east").lasting(lasting));
        return runs(job);
    }

    private String runs(String job) {
        story.until(
                job + " runs",
                LATER,
                () -> story.state(job) == JobState.RUNNING
                        && machine(story.job(job).run().nodes().getFirst()).runs.values().stream()
                                .anyMatch(run -> run.job.equals(job) && !run.ended));
        return story.job(job).run().nodes().getFirst();
    }

    private SimNode machine(String node) {
        return story.world.site("east").nodes.values().stream()
                .filter(each -> node.equals(each.id))
                .findFirst()
                .orElseThrow();
    }

    private NodeRecord node(String id) {
        return story.journal.node(id).orElseThrow();
    }

    @Test
    void itsJobGoesOnTheNextOneIsNotGivenToItAndItEndsWithItsReason() {
        String sick = runs("1", Duration.ofMinutes(30));
        machine(sick).sickness = XID;
        story.until("it is drained", LATER, () -> node(sick).nodeState() == NodeState.DRAINING);
        assertThat(node(sick).cause()).isEqualTo(new NodeCause.Sick(XID));
        String other = runs("2", Duration.ofMinutes(1));
        assertThat(other).isNotEqualTo(sick);
        assertThat(story.state("1")).isEqualTo(JobState.RUNNING);
        story.until("its job ends", Duration.ofHours(1), () -> story.state("1").isTerminal());
        assertThat(story.job("1").run().attempt()).isEqualTo(1);
        story.until("it ends", LATER, () -> node(sick).nodeState().isTerminal());
        assertThat(node(sick).cause()).isEqualTo(new NodeCause.Sick(XID));
    }

    @Test
    void whatIsWellAgainAfterItWasDrainedGetsNoJobAllTheSameAlsoByTheNextHead() {
        String sick = runs("1", Duration.ofMinutes(30));
        machine(sick).sickness = XID;
        story.until("it is drained", LATER, () -> node(sick).nodeState() == NodeState.DRAINING);
        machine(sick).sickness = "";
        story = story.restarted();
        String other = runs("2", Duration.ofMinutes(1));
        assertThat(other).isNotEqualTo(sick);
        assertThat(node(sick).nodeState()).isEqualTo(NodeState.DRAINING);
        story.until("its job ends", Duration.ofHours(1), () -> story.state("1").isTerminal());
        story.until("it ends", LATER, () -> node(sick).nodeState().isTerminal());
    }

    @Test
    void aJobThatLostItsSickNodeBeginsOnAnother() {
        String sick = runs("1", Duration.ofMinutes(30));
        machine(sick).sickness = XID;
        story.until("it is drained", LATER, () -> node(sick).nodeState() == NodeState.DRAINING);
        story.world.site("east").provider.end(machine(sick).machine);
        story.until(
                "it begins again",
                Duration.ofMinutes(40),
                () -> story.state("1") == JobState.RUNNING
                        && story.job("1").run().attempt() == 2);
        assertThat(story.job("1").run().nodes()).doesNotContain(sick);
    }
}
