package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.settings.Markets;
import org.spillway.head.loop.state.NodePurchase;
import org.spillway.policy.Market;

/** Finding M6: spot only where the queue or the job allows it, with the production loop. */
final class MarketStoriesTest {
    private static final Duration SOON = Duration.ofSeconds(90);
    private static final Duration LATER = Duration.ofMinutes(5);
    /** A sample; {@code .ci/run --all} draws each. */
    private static final int SCHEDULES = Boolean.getBoolean("spillway.seeds.every") ? 25 : 6;

    private static final Markets ANY = Markets.of(
            Map.of("any", Set.of(Market.values()), "q", Market.STEADY),
            Map.of("any", List.of("east"), "q", List.of("east")));

    private static Story story(Markets markets, int kept) {
        Story story = new Story(StorySetup.USUAL.buying(markets), new SimWorld.Spec("east", 6, kept, "1"));
        story.world.site("east").provider.sellsSpot = true;
        return story;
    }

    private static List<Market> marketsOf(Story story, String job) {
        return story.job(job).run().ranks().stream()
                .map(rank ->
                        story.journal.node(rank.node()).orElseThrow().offering().market())
                .toList();
    }

    private static void runs(Story story, String job) {
        story.until(job + " runs", LATER, () -> story.state(job) == JobState.RUNNING);
    }

    @Test
    void aQueueThatSaysNothingBuysNoSpot() {
        Story story = story(Markets.STEADY, 0);
        story.submit(new Story.Job("1", "east"));
        runs(story, "1");
        assertThat(marketsOf(story, "1")).containsExactly(Market.ON_DEMAND);
        assertThat(story.journal.nodes()).noneMatch(node -> node.offering().market() == Market.SPOT);
    }

    @Test
    void aQueueThatAllowsItBuysSpotAndAJobMayWantLess() {
        Story story = story(ANY, 0);
        story.submit(new Story.Job("1", "east").in("any").cpus(4));
        runs(story, "1");
        assertThat(marketsOf(story, "1")).containsExactly(Market.SPOT);
        story.submit(new Story.Job("2", "east").in("any").on(Market.ON_DEMAND));
        runs(story, "2");
        assertThat(marketsOf(story, "2")).containsExactly(Market.ON_DEMAND);
    }

    @Test
    void aJobWantsNoMoreThanItsQueueAllows() {
        Story story = story(ANY, 0);
        story.submit(new Story.Job("1", "east").in("q").on(Market.SPOT));
        story.pass(SOON);
        assertThat(story.state("1")).isNotEqualTo(JobState.RUNNING);
        assertThat(story.journal.nodes()).allMatch(NodeRecord::isDirector);
        assertThat(story.waits("1")).isInstanceOf(WaitCause.PlanHolds.class);
    }

    @Test
    void aSpotNodeThatIsThereIsNoRoomForAJobWithoutSpot() {
        Story story = story(ANY, 0);
        story.submit(new Story.Job("0", "east"));
        runs(story, "0");
        story.loop.addNodes(new NodePurchase("east", "std", "", Market.SPOT, 1, true, ""), story.world.clock.now());
        story.until(
                "the spot node serves",
                SOON,
                () -> story.nodes("east", NodeState.READY).stream()
                        .anyMatch(node -> node.offering().market() == Market.SPOT));
        story.submit(new Story.Job("1", "east").cpus(4));
        runs(story, "1");
        assertThat(marketsOf(story, "1")).containsExactly(Market.ON_DEMAND);
        story.submit(new Story.Job("2", "east").in("any").cpus(4));
        runs(story, "2");
        assertThat(marketsOf(story, "2")).containsExactly(Market.SPOT);
    }

    @Test
    void keptNodesAreOfMarketsThatEveryQueueOfTheirSiteAllows() {
        Story story = story(ANY, 2);
        story.until(
                "they serve", SOON, () -> story.nodes("east", NodeState.READY).size() == 2);
        assertThat(story.nodes("east", NodeState.READY))
                .allMatch(node -> node.offering().market() == Market.ON_DEMAND);
    }

    /** No schedule puts a job without spot on a spot machine. */
    @Test
    void noScheduleBreaksTheRule() {
        for (long seed = 0; seed < SCHEDULES; seed++) {
            Random random = new Random(seed);
            Story story = story(ANY, random.nextInt(2));
            for (int id = 0; id < 12; id++) {
                Story.Job job = new Story.Job("" + id, "east")
                        .in(random.nextBoolean() ? "any" : "q")
                        .cpus(1 + random.nextInt(4))
                        .nodes(1 + random.nextInt(2))
                        .lasting(Duration.ofSeconds(20 + random.nextInt(60)));
                story.submit(random.nextInt(4) == 0 ? job.on(Market.ON_DEMAND) : job);
                for (int tick = random.nextInt(60); tick > 0; tick--) {
                    story.step();
                    judge(story, seed);
                }
            }
            for (int tick = 0; tick < 1500; tick++) {
                story.step();
                judge(story, seed);
            }
            assertThat(story.journal.jobs(JobState.DONE).size() + done(story))
                    .as("seed %d: jobs that ran", seed)
                    .isPositive();
        }
    }

    private static long done(Story story) {
        return java.util.stream.IntStream.range(0, 12)
                .filter(id -> story.state("" + id) == JobState.DONE)
                .count();
    }

    private static void judge(Story story, long seed) {
        for (JobRecord job : story.journal.jobs(JobState.RUNNING)) {
            Set<Market> allowed = ANY.of(job.spec());
            assertThat(marketsOf(story, job.id()))
                    .as(
                            "seed %d: job %s of queue %s",
                            seed, job.id(), job.spec().queue())
                    .allMatch(allowed::contains);
        }
    }
}
