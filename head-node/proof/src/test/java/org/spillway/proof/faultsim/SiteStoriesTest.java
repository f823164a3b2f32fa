package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.JobCause;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.loop.nodes.NodeAction;
import org.spillway.head.loop.nodes.OrderRefused;
import org.spillway.head.loop.state.NodePurchase;
import org.spillway.policy.Market;

/** Where jobs go, what they wait for, and what is done to nodes by hand: one story each, with the production loop. */
final class SiteStoriesTest {
    private static final Duration SOON = Duration.ofSeconds(90);
    private static final Duration LATER = Duration.ofMinutes(5);

    private static SimWorld.Spec home(int nodes) {
        return new SimWorld.Spec("home", nodes, nodes, "0.10");
    }

    private static SimWorld.Spec region(String name, String price) {
        return new SimWorld.Spec(name, 3, 0, price);
    }

    private static Story.Job job(String id, String... sites) {
        return new Story.Job(id, sites);
    }

    @Test
    void aFullHomeOverflowsIntoTheCheapestRegion() {
        Story story = new Story(home(1), region("dear", "9"), region("cheap", "2"));
        story.until(
                "home is up", SOON, () -> story.nodes("home", NodeState.READY).size() == 1);
        story.submit(
                job("1", "home", "dear", "cheap").cpus(3).lasting(LATER),
                job("2", "home", "dear", "cheap").cpus(3));
        story.until(
                "both are done", LATER, () -> story.state("1") == JobState.DONE && story.state("2") == JobState.DONE);
        assertThat(story.job("1").run().site()).isEqualTo("home");
        assertThat(story.job("2").run().site()).isEqualTo("cheap");
    }

    @Test
    void aJobWaitsForHomeWhereThatIsSoonerThanARegionCouldStartIt() {
        Story story = new Story(home(1), region("east", "2"));
        story.until(
                "home is up", SOON, () -> story.nodes("home", NodeState.READY).size() == 1);
        // A region would have to boot a director and a node; the first is over in a minute at the latest.
        story.submit(job("1", "home", "east").cpus(3), job("2", "home", "east").cpus(3));
        story.until(
                "both are done", LATER, () -> story.state("1") == JobState.DONE && story.state("2") == JobState.DONE);
        assertThat(story.job("2").run().site()).isEqualTo("home");
        assertThat(story.journal.nodes()).noneMatch(node -> node.site().equals("east"));
    }

    @Test
    void aRegionThatNeverAnswersHoldsNobodyWhoMayGoElsewhere() {
        for (boolean provider : new boolean[] {true, false}) {
            Story story = new Story(region("mute", "1"), region("far", "9"));
            story.world.site("mute").mute = true;
            story.world.site("mute").provider.mute = provider;
            story.submit(job("1", "mute", "far"));
            story.until("it is done elsewhere", LATER, () -> story.state("1") == JobState.DONE);
            assertThat(story.job("1").run().site()).isEqualTo("far");
        }
    }

    @Test
    void aJobWaitsForThoseItDependsOn() {
        Story story = new Story(region("east", "1"));
        story.submit(
                job("1", "east"),
                job("2", "east").after("1", true),
                job("3", "east").after("4", true),
                job("4", "east"),
                job("5", "east").after("3", true),
                job("6", "east").after("3", false));
        story.pass(Duration.ofSeconds(1));
        assertThat(story.state("2")).isEqualTo(JobState.HELD);
        assertThat(story.waits("2"))
                .isInstanceOfSatisfying(
                        WaitCause.WaitsForJob.class,
                        cause -> assertThat(cause.job()).isEqualTo("1"));
        story.cancel("4");
        story.until(
                "all have ended",
                LATER,
                () -> IntStream.rangeClosed(1, 6)
                        .noneMatch(id -> story.job(Integer.toString(id)).isLive()));
        assertThat(story.state("2")).isEqualTo(JobState.DONE);
        assertThat(story.job("3").cause()).isEqualTo(new JobCause.DependencyEnded("4", JobState.CANCELLED));
        assertThat(story.job("5").cause()).isEqualTo(new JobCause.DependencyEnded("3", JobState.CANCELLED));
        assertThat(story.state("6")).isEqualTo(JobState.DONE);
    }

    @Test
    void anArrayKeepsItsLimitAndIsWaitedForAsAWhole() {
        Story story = new Story(region("east", "1"));
        story.submit(job("last", "east").after("7", true));
        IntStream.range(0, 5)
                .forEach(index -> story.submit(job("7-" + index, "east").task("7", index, 2)));
        story.until("all have ended", LATER, () -> {
            long underWay = story.journal.jobs().stream()
                    .filter(job -> job.spec().array() != null)
                    .filter(job -> job.jobState() != JobState.HELD && job.jobState() != JobState.SUBMITTED)
                    .count();
            assertThat(underWay).isLessThanOrEqualTo(2);
            boolean tasks =
                    story.journal.jobs().stream().anyMatch(job -> job.spec().array() != null);
            assertThat(!tasks || story.state("last") == JobState.HELD || story.state("last") == JobState.SUBMITTED)
                    .isTrue();
            return !story.job("last").isLive();
        });
        assertThat(story.state("last")).isEqualTo(JobState.DONE);
    }

    @Test
    void theInputOfAnArrayIsBroughtOnceAndOfSingleJobsEach() {
        Story story = new Story(region("east", "1"));
        IntStream.range(0, 5)
                .forEach(index -> story.submit(job("7-" + index, "east").task("7", index, 0)));
        story.until("all have ended", LATER, () -> story.journal.jobs().isEmpty());
        IntStream.range(0, 5)
                .forEach(index -> assertThat(story.state("7-" + index)).isEqualTo(JobState.DONE));
        assertThat(story.world.bundlesCopied).isEqualTo(1);
        story.submit(job("8", "east"), job("9", "east"));
        story.until("they have ended", LATER, () -> story.journal.jobs().isEmpty());
        assertThat(story.world.bundlesCopied).isEqualTo(3);
    }

    @Test
    void aUserHasNoMoreInASiteThanItMay() {
        Story story = new Story(2, region("east", "1"));
        IntStream.range(0, 5).forEach(index -> story.submit(job("" + index, "east")));
        story.until("all have ended", LATER, () -> {
            assertThat(story.journal.jobs().stream()
                            .filter(job -> job.run().staged() != null)
                            .count())
                    .isLessThanOrEqualTo(2);
            return story.journal.jobs().isEmpty();
        });
        IntStream.range(0, 5)
                .forEach(index -> assertThat(story.state("" + index)).isEqualTo(JobState.DONE));
    }

    @Test
    void whatAUserMayNeverHaveThereIsSaidSo() {
        Story story = new Story(0, region("east", "1"));
        story.submit(job("1", "east"));
        story.until("it has ended", LATER, () -> !story.job("1").isLive());
        assertThat(story.state("1")).isEqualTo(JobState.FAILED);
        assertThat(story.job("1").cause()).isInstanceOf(JobCause.Unstageable.class);
    }

    @Test
    void aGangStartsOnAllItsNodesAndALostRankBringsAllOfItAgain() {
        Story story = new Story(region("east", "1"));
        story.submit(job("1", "east").cpus(4).nodes(3));
        story.until(
                "it runs",
                SOON,
                () -> story.world.site("east").nodes.values().stream()
                                .filter(node -> !node.runs.isEmpty())
                                .count()
                        == 3);
        SimSite east = story.world.site("east");
        east.provider.end(east.nodes.values().iterator().next().machine);
        story.until("it is done", LATER, () -> story.state("1") == JobState.DONE);
        assertThat(story.job("1").run().attempt()).isEqualTo(2);
        assertThat(story.job("1").run().ranks()).hasSize(3);
    }

    @Test
    void aNodeThatNeverJoinsIsReplaced() {
        Story story = new Story(region("east", "1"));
        story.submit(job("1", "east"));
        SimSite east = story.world.site("east");
        story.until("a node is launched", SOON, () -> east.nodes() == 1);
        east.provider.machines.values().stream()
                .filter(machine -> !Faults.isDirector(machine))
                .forEach(machine -> machine.deaf = true);
        story.until("it is done on another", LATER, () -> story.state("1") == JobState.DONE);
        assertThat(story.nodes("east", NodeState.TERMINATED)).isNotEmpty();
    }

    @Test
    void resultsWaitForRoomAtHome() {
        Story story = new Story(region("east", "1"));
        story.world.homeFullUntil = story.world.clock.now().plusSeconds(120);
        story.submit(job("1", "east"));
        story.until("it stages out", SOON, () -> story.state("1") == JobState.STAGING_OUT);
        story.until("it says why", SOON, () -> story.waits("1") instanceof WaitCause.ResultsNotHome);
        story.until("it is done", LATER, () -> story.state("1") == JobState.DONE);
        assertThat(story.world.clock.now()).isAfter(story.world.homeFullUntil);
    }

    @Test
    void keptNodesAreThereWithoutJobsAndComeBack() {
        Story story = new Story(home(2));
        story.until(
                "both are up", SOON, () -> story.nodes("home", NodeState.READY).size() == 2);
        story.pass(Duration.ofMinutes(2));
        assertThat(story.nodes("home", NodeState.READY)).hasSize(2);
        SimSite home = story.world.site("home");
        home.provider.end(home.nodes.values().iterator().next().machine);
        story.until(
                "one is gone", SOON, () -> story.nodes("home", NodeState.READY).size() == 1);
        story.until(
                "it is replaced",
                LATER,
                () -> story.nodes("home", NodeState.READY).size() == 2);
    }

    @Test
    void aNodeDrainedByHandStaysUntilItIsResumed() {
        Story story = new Story(home(1));
        story.until("it is up", SOON, () -> story.nodes("home", NodeState.READY).size() == 1);
        String node = story.nodes("home", NodeState.READY).getFirst().id();
        story.loop.changeNode(node, NodeAction.DRAIN, story.world.clock.now());
        story.submit(job("1", "home"));
        story.pass(Duration.ofMinutes(3));
        assertThat(story.state("1")).isEqualTo(JobState.QUEUED);
        assertThat(story.nodes("home", NodeState.DRAINING))
                .extracting(one -> one.id())
                .containsExactly(node);
        story.loop.changeNode(node, NodeAction.RESUME, story.world.clock.now());
        story.until("it serves again", SOON, () -> story.state("1") == JobState.DONE);
        assertThat(story.job("1").run().nodes()).containsExactly(node);
    }

    @Test
    void nodesAreAddedKeptAndRemovedByHand() {
        Story story = new Story(region("east", "1"));
        NodePurchase two = new NodePurchase("east", "std", "", Market.ON_DEMAND, 2, false, "");
        assertRefused(story, two, OrderRefused.Kind.CONFLICT);
        story.pass(Duration.ofSeconds(2));
        assertThat(story.loop.addNodes(two, story.world.clock.now())).isEmpty();
        story.until(
                "they are up", LATER, () -> story.nodes("east", NodeState.READY).size() == 2);
        String kept = story.nodes("east", NodeState.READY).getFirst().id();
        story.loop.changeNode(kept, NodeAction.KEEP, story.world.clock.now());
        story.until(
                "the other is released",
                LATER,
                () -> story.nodes("east", NodeState.TERMINATED).size() == 1);
        story.pass(Duration.ofMinutes(2));
        assertThat(story.nodes("east", NodeState.READY))
                .extracting(one -> one.id())
                .containsExactly(kept);
        assertRefused(
                story, new NodePurchase("east", "std", "", Market.ON_DEMAND, 3, false, ""), OrderRefused.Kind.LIMIT);
        assertRefused(
                story,
                new NodePurchase("east", "big", "", Market.ON_DEMAND, 1, false, ""),
                OrderRefused.Kind.NO_OFFERING);
        assertRefused(
                story,
                new NodePurchase("west", "std", "", Market.ON_DEMAND, 1, false, ""),
                OrderRefused.Kind.NOT_FOUND);
        story.loop.changeNode(kept, NodeAction.REMOVE, story.world.clock.now());
        story.until(
                "it is gone",
                LATER,
                () -> story.nodes("east", NodeState.TERMINATED).size() == 2);
    }

    @Test
    void aNodeIsPoweredOffAndOnAndServesAgain() {
        Story story = new Story(home(1));
        story.until("it is up", SOON, () -> story.nodes("home", NodeState.READY).size() == 1);
        String node = story.nodes("home", NodeState.READY).getFirst().id();
        story.loop.changeNode(node, NodeAction.POWER_OFF, story.world.clock.now());
        story.until(
                "it is off", SOON, () -> !story.nodes("home", NodeState.STOPPED).isEmpty());
        story.submit(job("1", "home"));
        story.pass(Duration.ofMinutes(3));
        assertThat(story.nodes("home", NodeState.STOPPED)).hasSize(1);
        assertThat(story.state("1")).isEqualTo(JobState.QUEUED);
        story.loop.changeNode(node, NodeAction.POWER_ON, story.world.clock.now());
        story.until("it serves again", LATER, () -> story.state("1") == JobState.DONE);
        assertThat(story.job("1").run().nodes()).containsExactly(node);
        assertThatThrownBy(() -> story.loop.changeNode("nobody", NodeAction.DRAIN, story.world.clock.now()))
                .isInstanceOf(OrderRefused.class);
    }

    @Test
    void whatIsSaidOfAJobFollowsIt() {
        Story story = new Story(region("east", "1"));
        story.pass(Duration.ofSeconds(2));
        JobRecord like = new JobRecord(
                "x",
                job("x", "east").spec(story.world.clock.now()),
                JobState.SUBMITTED,
                Cause.NONE,
                story.world.clock.now(),
                org.spillway.head.journal.JobRun.NONE);
        var would = story.loop.wouldPlace(like.spec(), 40_000_000, story.world.clock.now());
        assertThat(would.site()).isEqualTo("east");
        assertThat(would.buys()).isTrue();
        assertThat(would.staging()).isEqualTo(Duration.ofSeconds(2));
        assertThat(would.start()).isAfter(story.world.clock.now());
        assertThat(story.journal.jobs()).isEmpty();
        story.submit(job("1", "east"));
        story.until(
                "its node boots",
                SOON,
                () -> !story.nodes("east", NodeState.BOOTING).isEmpty());
        assertThat(story.loop
                        .explain("1", story.world.clock.now())
                        .orElseThrow()
                        .nodes())
                .isNotEmpty();
        assertThat(story.loop.explain("2", story.world.clock.now())).isEmpty();
    }

    private static void assertRefused(Story story, NodePurchase purchase, OrderRefused.Kind kind) {
        assertThatThrownBy(() -> story.loop.addNodes(purchase, story.world.clock.now()))
                .isInstanceOfSatisfying(
                        OrderRefused.class,
                        refused -> assertThat(refused.kind()).isEqualTo(kind));
    }
}
