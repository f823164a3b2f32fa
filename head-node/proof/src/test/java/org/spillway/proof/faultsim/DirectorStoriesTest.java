package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.cause.SiteCause;
import org.spillway.head.journal.BreakerEntry;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.nodes.NodeAction;
import org.spillway.head.loop.nodes.OrderRefused;
import org.spillway.policy.Money;
import org.spillway.scaler.plan.Breakers;

/** Directors that do not come up: what they cost, what is said of them, and how their site heals. */
final class DirectorStoriesTest {
    private static final Duration SOON = Duration.ofSeconds(90);
    private static final Duration LATER = Duration.ofMinutes(10);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofHours(24);

    private static SimWorld.Spec east() {
        return new SimWorld.Spec("east", 3, 0, "1");
    }

    /** A site of which a tenth of an hour of a director may be lost in a day. */
    private static Story tried() {
        return new Story(StorySetup.USUAL.trying(Money.parse("0.10")), east());
    }

    private static List<NodeRecord> directors(Story story) {
        return story.journal.nodes().stream().filter(NodeRecord::isDirector).toList();
    }

    private static NodeRecord director(Story story) {
        return directors(story).getLast();
    }

    private static List<Breakers.State> open(Story story) {
        return story.journal.breakers().stream().filter(Breakers.State::open).toList();
    }

    /** For whoever wants to read what a site says whose director never comes up. */
    private static void tell(Story story, String when) {
        long bought = directors(story).size();
        System.out.printf(
                "%s %s%n  directors bought: %d, money spent: %s%n  sites:   %s%n  explain: %s%n",
                story.world.clock.now(),
                when,
                bought,
                story.world.site("east").provider.cost(),
                story.loop.trouble("east").text(),
                story.state("1") == JobState.DONE ? "done" : story.waits("1").text());
    }

    /** M3: 32 of them in nine minutes. */
    @Test
    void oneThatNeverComesUpIsNotBoughtAgainForEver() {
        Story story = tried();
        SimSite east = story.world.site("east");
        east.uninstallable = "java: not found";
        story.submit(new Story.Job("1", "east"));
        story.pass(Duration.ofMinutes(9));
        assertThat(directors(story)).hasSizeBetween(2, 6);
        assertThat(story.loop.trouble("east").all().toList())
                .anyMatch(cause ->
                        cause instanceof SiteCause.DirectorNotInstalled(String said) && said.equals("java: not found"));
        tell(story, "nine minutes later");
        story.until("its breaker opens", HOUR, () -> !open(story).isEmpty());
        assertThat(open(story).getFirst().id()).isEqualTo("director:east");
        tell(
                story,
                "breaker " + open(story).getFirst().id() + " opens: "
                        + open(story).getFirst().reason() + "; "
                        + Breakers.remedy(open(story).getFirst()));
        // The last one's end takes a moment, and one node was bought beside the first.
        Money cost = east.provider.cost();
        assertThat(cost).isLessThan(Money.parse("0.15"));
        story.leap(Duration.ofHours(2));
        assertThat(east.provider.cost()).isEqualTo(cost);
        assertThat(story.loop.trouble("east")).isInstanceOf(SiteCause.DirectorTrialsSpent.class);
        assertThat(story.waits("1").all().toList())
                .as("the reason is not lost")
                .anyMatch(SiteCause.DirectorNotInstalled.class::isInstance);

        tell(story, "two hours later");

        Story next = story.restarted();
        next.pass(Duration.ofMinutes(10));
        assertThat(east.provider.cost()).as("another head knows it").isEqualTo(cost);
        assertThat(next.loop.trouble("east").all().toList()).anyMatch(SiteCause.DirectorNotInstalled.class::isInstance);

        east.uninstallable = "";
        Instant now = next.world.clock.now();
        next.journal.commit(now, new BreakerEntry(open(next).getFirst().closedBy("ada", now)));
        next.until("it is done", LATER, () -> next.state("1") == JobState.DONE);
        tell(next, "mended, and the breaker closed by hand");
        assertThat(next.loop.trouble("east")).isEqualTo(Cause.NONE);
    }

    @Test
    void aSiteHealsByItselfWhenADayHasGoneBy() {
        Story story = tried();
        SimSite east = story.world.site("east");
        east.uninstallable = "no route";
        story.submit(new Story.Job("1", "east"));
        story.until("its breaker opens", HOUR, () -> !open(story).isEmpty());
        east.uninstallable = "";
        story.leap(DAY.minusMinutes(20));
        assertThat(story.state("1")).isNotEqualTo(JobState.DONE);
        story.until("it is tried again", HOUR, () -> story.state("1") == JobState.DONE);
    }

    /** M4: ten launches in 45 seconds, all of them in the zone that had refused. */
    @Test
    void aZoneWithoutRoomForItsTypeDoesNotStopTheSite() {
        Story story = new Story(east());
        SimSite east = story.world.site("east");
        east.provider.fabrics = true;
        east.provider.shutZones.add("a");
        story.submit(new Story.Job("1", "east"));
        story.until("it is done", LATER, () -> story.state("1") == JobState.DONE);
        List<NodeRecord> all = directors(story);
        assertThat(all.getFirst().cause()).isInstanceOf(NodeCause.LaunchRefused.class);
        assertThat(all).extracting(one -> one.offering().zone()).containsExactly("a", "b");
    }

    /** M5. */
    @Test
    void aHeadThatReleasesAllEndsOneThatIsStillComingUp() {
        Story story = new Story(east());
        SimSite east = story.world.site("east");
        east.uninstallable = "no route";
        story.submit(new Story.Job("1", "east"));
        story.until(
                "it is being installed",
                SOON,
                () -> !directors(story).isEmpty() && director(story).nodeState() == NodeState.PROVISIONING);
        story.loop.beginRelease();
        story.until("nothing is left", SOON, () -> directors(story).stream().noneMatch(NodeRecord::isLive));
        assertThat(director(story).cause()).isEqualTo(NodeFact.RELEASED);
    }

    /** M5. */
    @Test
    void oneIsRemovedByHandInAnyState() {
        Story story = new Story(east());
        SimSite east = story.world.site("east");
        east.uninstallable = "no route";
        story.submit(new Story.Job("1", "east"));
        story.until(
                "it is being installed",
                SOON,
                () -> !directors(story).isEmpty() && director(story).nodeState() == NodeState.PROVISIONING);
        String id = director(story).id();
        story.loop.changeNode(id, NodeAction.REMOVE, story.world.clock.now());
        story.until(
                "it is gone", SOON, () -> !story.journal.node(id).orElseThrow().isLive());
        assertThat(story.journal.node(id).orElseThrow().cause())
                .as("its reason stays")
                .isEqualTo(NodeFact.REMOVED_BY_HAND);
    }

    @Test
    void oneThatServesIsRemovedByHandWhenItHasNoNodes() {
        Story story = new Story(east());
        story.submit(new Story.Job("1", "east"));
        story.until("it is done", LATER, () -> story.state("1") == JobState.DONE);
        String id = director(story).id();
        assertThatThrownBy(() -> story.loop.changeNode(id, NodeAction.REMOVE, story.world.clock.now()))
                .isInstanceOfSatisfying(
                        OrderRefused.class,
                        refused -> assertThat(refused.kind()).isEqualTo(OrderRefused.Kind.CONFLICT));
        assertThat(director(story).nodeState()).isEqualTo(NodeState.READY);
    }

    /** As with a power cut of a whole region: the next director has another address, which the node was never told. */
    @Test
    void aNodeThatComesUpForADirectorThatIsGoneGivesWayToAnother() {
        Story story = new Story(east());
        SimSite east = story.world.site("east");
        story.submit(new Story.Job("1", "east"));
        story.until("its node boots", SOON, () -> !booting(story).isEmpty());
        NodeRecord first = director(story);
        NodeRecord astray = booting(story).getFirst();
        east.provider.end(Objects.requireNonNull(east.provider.machines.get(first.instance())));
        story.until(
                "another director serves",
                LATER,
                () -> directors(story).stream()
                        .anyMatch(one -> !one.id().equals(first.id()) && one.nodeState() == NodeState.READY));
        story.until(
                "the node is given up",
                Duration.ofSeconds(20),
                () -> story.journal.node(astray.id()).orElseThrow().nodeState() != NodeState.BOOTING);
        assertThat(story.journal.node(astray.id()).orElseThrow().cause()).isEqualTo(NodeFact.DIRECTOR_REPLACED);
        assertThat(story.journal.outcome(astray.id()).orElseThrow().outcome().stage())
                .as("its offering is not to blame")
                .isEqualTo(Breakers.Stage.ORDERED);
        story.until("it is done", SOON, () -> story.state("1") == JobState.DONE);
    }

    private static List<NodeRecord> booting(Story story) {
        return story.nodes("east", NodeState.BOOTING).stream()
                .filter(node -> !node.isDirector())
                .toList();
    }
}
