package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.director.wire.Report;
import org.spillway.head.cause.JobCause;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.Reclaimed;
import org.spillway.head.loop.Loop;
import org.spillway.head.loop.settings.Markets;
import org.spillway.policy.Market;

/** Spot machines that their provider takes back with notice, with the production loop. */
final class NoticeStoriesTest {
    private static final Duration LATER = Duration.ofMinutes(5);
    /** A few: {@code spillway simulate-faults} runs thousands, of this kind too. */
    private static final int SEEDS = 10;

    private static final Markets ANY =
            Markets.of(Map.of("any", Set.of(Market.values())), Map.of("any", List.of("east")));

    private final Story story = story();

    private static Story story() {
        Story story = new Story(StorySetup.USUAL.buying(ANY), new SimWorld.Spec("east", 6, 0, "1"));
        story.world.site("east").provider.sellsSpot = true;
        story.world.site("east").runsLong = true;
        return story;
    }

    private String runs(String job, int nodes) {
        story.submit(new Story.Job(job, "east").in("any").nodes(nodes).lasting(Duration.ofHours(2)));
        return runs(job);
    }

    private String runs(String job) {
        story.until(
                job + " runs",
                LATER,
                () -> story.state(job) == JobState.RUNNING
                        && story.job(job).run().nodes().stream().allMatch(node -> runsThere(node, job)));
        return story.job(job).run().nodes().getFirst();
    }

    private SimNode machine(String node) {
        return story.world.site("east").nodes.values().stream()
                .filter(each -> node.equals(each.id))
                .findFirst()
                .orElseThrow();
    }

    private boolean runsThere(String node, String job) {
        return machine(node).runs.values().stream().anyMatch(run -> run.job.equals(job) && !run.ended);
    }

    private NodeRecord node(String id) {
        return story.journal.node(id).orElseThrow();
    }

    private void notice(String node, boolean certain) {
        long when = story.world.clock.now().plusSeconds(120).getEpochSecond();
        machine(node).notice = new Report.Notice(certain, when);
    }

    @Test
    void theJobWaitsAgainWithWhatItLeftAndTheMachineIsEndedAfterIt() {
        String node = runs("1", 1);
        notice(node, true);
        long when = machine(node).notice.epochSeconds();
        story.until("the notice is heard", LATER, () -> node(node).nodeState() != NodeState.READY);
        assertThat(node(node).cause()).isEqualTo(new NodeCause.Reclaimed(when));
        story.until("it waits again", LATER, () -> story.state("1") == JobState.QUEUED);
        JobRecord waits = story.job("1");
        assertThat(waits.cause()).isEqualTo(new JobCause.TakenBack(node, true));
        Reclaimed reclaimed = waits.run().reclaimed();
        assertThat(reclaimed.times()).isEqualTo(1);
        assertThat(reclaimed.attempt()).isEqualTo(1);
        assertThat(reclaimed.left()).hasSize(1);
        story.until("it is ended", LATER, () -> node(node).nodeState().isTerminal());
        assertThat(node(node).cause()).isEqualTo(new NodeCause.Reclaimed(when));
        assertThat(node(node).wasTakenBack()).isTrue();

        String other = runs("1");
        assertThat(other).isNotEqualTo(node);
        assertThat(story.world.site("east").directors.values().stream()
                        .flatMap(director -> director.orders.stream())
                        .filter(order -> order.node().equals(other))
                        .map(order -> order.checkpoint().key()))
                .containsExactly("jobs/1/1/out/0");
        story.until("it ends", Duration.ofHours(3), () -> story.state("1").isTerminal());
        assertThat(story.job("1").run().attempt()).isEqualTo(2);
    }

    @Test
    void theNextAttemptGoesOnInAnotherRegion() {
        Story two = takenBackOfTwo();
        String first = two.job("1").run().site();
        String other = first.equals("east") ? "west" : "east";
        two.until("it runs elsewhere", Duration.ofMinutes(30), () -> runsIn(two, other));
        assertThat(two.job("1").run().reclaimed().way()).isEqualTo(Reclaimed.Way.HOME);
        assertThat(two.world.site(other).directors.values().stream()
                        .flatMap(director -> director.orders.stream())
                        .map(order -> order.checkpoint() == null
                                ? ""
                                : order.checkpoint().key()))
                .containsExactly("jobs/1/1/out/0");
        assertThat(two.world.site(other).directors.values())
                .allMatch(director -> director.sealed.contains("jobs/1/1/out/0"));
    }

    @Test
    void aJobThatIsCancelledWhileItWaitsLeavesNothingHiddenAtHome() {
        Story two = takenBackOfTwo();
        two.world.sites.values().forEach(site -> site.provider.roomIn.put("a", 0));
        two.until("its checkpoint is at home", LATER, () -> way(two) == Reclaimed.Way.HOME);
        assertThat(two.world.home.checkpoints).containsExactly("jobs/1/1/out/0");
        two.cancel("1");
        two.until("it is cancelled", LATER, () -> two.state("1") == JobState.CANCELLED);
        two.until("nothing is hidden at home", LATER, two.world.home.checkpoints::isEmpty);
    }

    private static Reclaimed.Way way(Story story) {
        Reclaimed left = story.job("1").run().reclaimed();
        return left == null || !left.isLeft() ? Reclaimed.Way.REGION : left.way();
    }

    /** A job of two regions runs in one, where a notice has just been given and no other machine can be had. */
    private static Story takenBackOfTwo() {
        Markets both = Markets.of(Map.of("any", Set.of(Market.values())), Map.of("any", List.of("east", "west")));
        Story two = new Story(
                StorySetup.USUAL.buying(both),
                new SimWorld.Spec("east", 6, 0, "1"),
                new SimWorld.Spec("west", 6, 0, "2"));
        two.world.sites.values().forEach(site -> {
            site.provider.sellsSpot = true;
            site.runsLong = true;
        });
        two.submit(new Story.Job("1", "east", "west").in("any").lasting(Duration.ofHours(2)));
        two.until("it runs", LATER, () -> runsIn(two, two.job("1").run().site()));
        SimSite taken = two.world.site(two.job("1").run().site());
        String node = two.job("1").run().nodes().getFirst();
        taken.provider.roomIn.put("a", 0);
        taken.nodes.values().stream()
                .filter(each -> node.equals(each.id))
                .forEach(each -> each.notice = new Report.Notice(
                        true, two.world.clock.now().plusSeconds(120).getEpochSecond()));
        return two;
    }

    private static boolean runsIn(Story story, String site) {
        return story.state("1") == JobState.RUNNING
                && story.job("1").run().site().equals(site)
                && story.world.site(site).nodes.values().stream()
                        .anyMatch(
                                each -> each.runs.values().stream().anyMatch(run -> run.job.equals("1") && !run.ended));
    }

    @Test
    void aGangIsTakenBackAsAWhole() {
        String node = runs("1", 2);
        notice(node, true);
        story.until("it waits again", LATER, () -> story.state("1") == JobState.QUEUED);
        assertThat(story.job("1").run().reclaimed().left()).hasSize(2);
        assertThat(story.job("1").cause()).isEqualTo(new JobCause.TakenBack(node, true));
        runs("1");
    }

    /** Six times is more than a job may lose its nodes. */
    @Test
    void whatProvidersTakeIsNoAttemptOfTheJobs() {
        String node = runs("1", 1);
        for (int times = 1; times <= 6; times++) {
            notice(node, true);
            int counted = times;
            story.until(
                    "taken " + times,
                    LATER,
                    () -> story.job("1").run().timesTakenBack() == counted && story.state("1") != JobState.RUNNING);
            node = runs("1");
        }
        assertThat(story.job("1").run().attempt()).isEqualTo(7);
    }

    @Test
    void aMachineThatGoesBeforeItsJobHasSaidAnythingIsNoLostNode() {
        String node = runs("1", 1);
        machine(node).endsNothing = true;
        notice(node, true);
        story.until("the notice is heard", LATER, () -> node(node).nodeState() == NodeState.RECLAIMING);
        story.pass(Duration.ofSeconds(30));
        assertThat(node(node).nodeState()).as("its job runs").isEqualTo(NodeState.RECLAIMING);
        story.world.site("east").provider.end(machine(node).machine);
        story.until("it waits again", Duration.ofMinutes(30), () -> story.state("1") == JobState.QUEUED);
        assertThat(story.job("1").run().timesTakenBack()).isEqualTo(1);
    }

    @Test
    void whoIsNotToBeRequeuedBringsHomeWhatItHas() {
        story.submit(new Story.Job("1", "east")
                .in("any")
                .lasting(Duration.ofHours(2))
                .once());
        String node = runs("1");
        notice(node, true);
        story.until("it is over", LATER, () -> story.state("1").isTerminal());
        assertThat(story.state("1")).isEqualTo(JobState.FAILED);
        assertThat(story.job("1").cause())
                .isEqualTo(new JobCause.ScriptFailed(new JobCause.TakenBack(node, false), 143));
        assertThat(story.job("1").run().published()).isNotNull();
    }

    @Test
    void aHintEndsNoJobAndNoFurtherOneBeginsThere() {
        String node = runs("1", 1);
        notice(node, false);
        story.until("the hint is heard", LATER, () -> node(node).nodeState() == NodeState.DRAINING);
        assertThat(node(node).cause()).isInstanceOf(NodeCause.AtRisk.class);
        story.submit(new Story.Job("2", "east").in("any"));
        assertThat(runs("2")).isNotEqualTo(node);
        story.until("it is over", Duration.ofHours(3), () -> story.state("1").isTerminal());
        assertThat(story.job("1").run().attempt()).isEqualTo(1);
        story.until("it is ended", LATER, () -> node(node).nodeState().isTerminal());
    }

    @Test
    void noSeedBreaksIt() {
        List<Verdict> verdicts = LongStream.range(0, SEEDS)
                .mapToObj(seed -> FaultSimulation.run(seed, Loop::new, Kind.NOTICED))
                .toList();
        assertThat(verdicts).extracting(Verdict::broken).containsOnly("");
        assertThat(verdicts.stream()
                        .mapToInt(each -> each.faults().getOrDefault("notice", 0))
                        .sum())
                .isGreaterThan(SEEDS);
    }

    @Test
    void aMachineThatIsNotSpotIsNotBelieved() {
        story.submit(new Story.Job("1", "east").in("any").on(Market.ON_DEMAND).lasting(Duration.ofHours(2)));
        String node = runs("1");
        notice(node, false);
        story.pass(Duration.ofSeconds(30));
        assertThat(node(node).nodeState()).isEqualTo(NodeState.READY);
        assertThat(Map.of(node, node(node).offering().market())).containsExactly(entry(node, Market.ON_DEMAND));
    }
}
