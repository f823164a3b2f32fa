package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.settings.Roles;
import org.spillway.head.rollout.DriftTerms;
import org.spillway.head.rollout.DriftTerms.Policy;
import org.spillway.head.rollout.DriftWord;
import org.spillway.head.rollout.Terms;

/** Nodes whose root is not their version any more, in the production loop. */
final class DriftStoriesTest {
    private static final Duration LATER = Duration.ofMinutes(10);
    private static final String DIFFERS = "differs 2 /opt/a";

    private static Story story(Policy policy) {
        var roles = new Roles(
                Map.of(
                        SimImages.OTHER,
                        new Roles.Category(
                                Set.of(SimImages.QUEUE),
                                List.of(),
                                List.of(SimImages.OVERLAY),
                                Duration.ofSeconds(5),
                                Optional.of(Terms.USUAL),
                                Optional.of(new DriftTerms(policy, 60)))),
                Set.of(SimImages.OVERLAY),
                Duration.ofSeconds(2));
        Story story = new Story(StorySetup.USUAL.with(roles), new SimWorld.Spec("east", 3, 0, "1"));
        story.world.version = "a".repeat(64);
        story.world.site("east").turnsWell = true;
        story.world.site("east").runsLong = true;
        return story;
    }

    private static String runs(Story story, String job) {
        story.submit(new Story.Job(job, "east").in(SimImages.QUEUE).lasting(Duration.ofMinutes(30)));
        story.until(job + " runs", LATER, () -> story.state(job) == JobState.RUNNING);
        return story.job(job).run().nodes().getFirst();
    }

    private static SimNode machine(Story story, String node) {
        return story.world.site("east").nodes.values().stream()
                .filter(each -> node.equals(each.id))
                .findFirst()
                .orElseThrow();
    }

    private static NodeRecord node(Story story, String id) {
        return story.journal.node(id).orElseThrow();
    }

    @Test
    void oneThatIsToBeDrainedGetsNoFurtherJobAndItsOwnGoesOn() {
        Story story = story(Policy.DRAIN);
        String node = runs(story, "1");
        machine(story, node).drift = DIFFERS;
        story.until("it is drained", LATER, () -> node(story, node).nodeState() == NodeState.DRAINING);
        assertThat(node(story, node).cause()).isEqualTo(new NodeCause.Drifted("2 files, the first /opt/a"));
        assertThat(runs(story, "2")).isNotEqualTo(node);
        assertThat(story.state("1")).isEqualTo(JobState.RUNNING);
        story.until("its job ends", Duration.ofHours(1), () -> story.state("1").isTerminal());
        assertThat(story.job("1").run().attempt()).isEqualTo(1);
        story.until("it ends", LATER, () -> node(story, node).nodeState().isTerminal());
    }

    @Test
    void oneThatOnlyTellsOrRepairsServesOnUntilItSaysThatItCannot() {
        for (Policy policy : List.of(Policy.REPORT, Policy.REPAIR)) {
            Story story = story(policy);
            String node = runs(story, "1");
            machine(story, node).drift = DIFFERS;
            story.until(
                    "the head has heard it",
                    LATER,
                    () -> story.loop.heard("east").driftOf(node).kind() == DriftWord.Kind.DIFFERS);
            machine(story, node).drift = "unknown the manifest is not here";
            story.until(
                    "the head has heard that, too",
                    LATER,
                    () -> story.loop.heard("east").driftOf(node).kind() == DriftWord.Kind.UNKNOWN);
            assertThat(node(story, node).nodeState()).as(policy.word()).isEqualTo(NodeState.READY);
            machine(story, node).drift = "unrepaired 2 /opt/a: not fetched";
            if (policy == Policy.REPAIR) {
                story.until("it is drained", LATER, () -> node(story, node).nodeState() == NodeState.DRAINING);
            }
        }
    }
}
