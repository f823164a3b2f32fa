package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.head.cause.SiteCause;
import org.spillway.head.loop.nodes.OrderRefused;
import org.spillway.head.loop.state.NodePurchase;
import org.spillway.policy.Market;

/** The production loop on a machine that has bad luck: its disk is full, it stands still for a while. */
final class BadLuckStoriesTest {
    private static final Duration LATER = Duration.ofMinutes(5);

    private final Story story = new Story(new SimWorld.Spec("east", 3, 0, "1"));

    private long live() {
        return story.world.sites.get("east").provider.machines.values().stream()
                .filter(machine -> machine.isLive())
                .count();
    }

    @Test
    void aFullDiskBuysNothingUntilThereIsRoom() {
        story.world.disk.fill(true);
        story.submit(new Story.Job("1", "east"));
        story.pass(Duration.ofMinutes(2));
        assertThat(live()).isZero();
        assertThat(story.journal.liveNodes()).isEmpty();
        assertThat(story.loop.unusable("east")).isEqualTo(SiteCause.SiteFact.HEAD_DISK_FULL);
        assertThat(story.waits("1").all()).contains(SiteCause.SiteFact.HEAD_DISK_FULL);
        assertThatThrownBy(() -> story.loop.addNodes(
                        new NodePurchase("east", "std", "", Market.ON_DEMAND, 1, false, ""), story.world.clock.now()))
                .isInstanceOf(OrderRefused.class)
                .hasMessageContaining("the head's disk is full");
        story.world.disk.fill(false);
        story.until("it is over", LATER, () -> story.state("1").isTerminal());
    }

    @Test
    void aDiskThatFillsWhileADirectorComesUpBuysNoNodesForIt() {
        story.submit(new Story.Job("1", "east"));
        story.until(
                "a director is decided", LATER, () -> !story.journal.liveNodes().isEmpty());
        story.world.disk.fill(true);
        story.pass(Duration.ofMinutes(2));
        assertThat(live()).as("the director, called before").isEqualTo(1);
        story.world.disk.fill(false);
        story.until("it is over", LATER, () -> story.state("1").isTerminal());
    }

    @Test
    void whatRunsComesToItsEndOnAFullDisk() {
        story.submit(new Story.Job("1", "east"));
        story.until("it runs", LATER, () -> story.state("1") == JobState.RUNNING);
        story.world.disk.fill(true);
        story.until("it is over", LATER, () -> story.state("1").isTerminal());
        story.until(
                "idle nodes end",
                LATER,
                () -> story.nodes("east", NodeState.READY).isEmpty());
    }
}
