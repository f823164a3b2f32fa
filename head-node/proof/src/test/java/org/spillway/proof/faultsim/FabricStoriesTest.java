package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.head.explain.Explanation;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.Loop;
import org.spillway.policy.Fabric;

/** Nodes that stand on a fabric in two zones: a gang is on one of them, whatever could be had of its launches. */
final class FabricStoriesTest {
    /** A few: {@code spillway simulate-faults} runs thousands, of this kind too. */
    private static final long SEEDS = 6;

    private static final Duration SOON = Duration.ofMinutes(5);

    private static Story story(int maxNodes) {
        Story story = new Story(StorySetup.USUAL, new SimWorld.Spec("east", maxNodes, 0, "1"));
        story.world.site("east").provider.fabrics = true;
        return story;
    }

    private static List<NodeRecord> nodesOf(Story story, String job) {
        return story.job(job).run().nodes().stream()
                .map(node -> story.journal.node(node).orElseThrow())
                .toList();
    }

    private static void runsOnOneFabric(Story story, String job, String zone) {
        story.until(job + " runs", SOON, () -> story.state(job) == JobState.RUNNING);
        assertThat(nodesOf(story, job))
                .hasSizeGreaterThan(1)
                .allSatisfy(node -> assertThat(node.offering().zone()).isEqualTo(zone));
        assertThat(nodesOf(story, job))
                .extracting(NodeRecord::fabric)
                .containsOnly(nodesOf(story, job).getFirst().fabric());
    }

    @Test
    void whatAPartialLaunchHasLeftIsNoPartOfAGangInAnotherZone() {
        Story story = story(10);
        story.world.site("east").provider.roomIn.put("a", 2);
        story.submit(new Story.Job("g", "east").nodes(3));
        runsOnOneFabric(story, "g", "b");
    }

    @Test
    void oneThatLostANodeIsCompletedWhereItsOthersAreByAHeadThatWasRestarted() {
        Story story = story(10);
        story.submit(new Story.Job("g", "east").nodes(3).lasting(Duration.ofMinutes(20)));
        runsOnOneFabric(story, "g", "a");
        List<NodeRecord> first = nodesOf(story, "g");
        assertThat(first.getFirst().fabric()).isEqualTo(new Fabric("efa", "gang-g"));
        SimProvider provider = story.world.site("east").provider;
        provider.end(provider.machines.get(first.getFirst().instance()));
        // Cheaper or dearer: a whole gang in the other zone would be three nodes, here it is one.
        Story after = story.restarted();
        after.until("it is tried again", SOON, () -> after.job("g").run().attempt() == 2);
        runsOnOneFabric(after, "g", "a");
        assertThat(nodesOf(after, "g")).contains(first.get(1), first.get(2));
        assertThat(after.journal.nodes().stream().filter(node -> !node.isDirector()))
                .hasSize(4);
    }

    @Test
    void oneThatIsNotWholeInAnyZoneWaitsAndSaysWhere() {
        Story story = story(10);
        SimProvider provider = story.world.site("east").provider;
        provider.roomIn.put("a", 2);
        provider.roomIn.put("b", 2);
        story.submit(new Story.Job("g", "east").nodes(3));
        story.until(
                "there are nodes in a",
                SOON,
                () -> !story.nodes("east", NodeState.READY).isEmpty());
        story.pass(Duration.ofMinutes(2));
        assertThat(story.state("g")).isEqualTo(JobState.QUEUED);
        Instant now = story.world.clock.now();
        assertThat(Explanation.of(story.loop.explain("g", now).orElseThrow(), now))
                .contains("all of a gang is on one fabric, there are 2 of 3 nodes in zone ");
        provider.roomIn.clear();
        story.until(
                "it has run", Duration.ofMinutes(30), () -> story.job("g").run().attempt() == 1);
    }

    /** Head, director and node die at any point, and four launches in ten are partial. */
    @Test
    void holdsWhateverDies() {
        System.out.println("gangs on fabrics: seeds 1 to " + SEEDS);
        List<Verdict> broken = LongStream.rangeClosed(1, SEEDS)
                .mapToObj(seed -> FaultSimulation.run(seed, Loop::new, Kind.FABRICS))
                .filter(verdict -> !verdict.holds())
                .toList();
        assertThat(broken).isEmpty();
    }
}
