package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.cause.RolloutCause;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.RolloutRecord;
import org.spillway.head.loop.nodes.NodeAction;
import org.spillway.head.loop.settings.Roles;
import org.spillway.head.rollout.Rollout.Phase;
import org.spillway.head.rollout.Terms;

/** Another version comes to a category's nodes by a rollout, in the production loop. */
final class RolloutStoriesTest {
    private static final Duration SOON = Duration.ofMinutes(10);
    private static final String A = "a".repeat(64);
    private static final String B = "b".repeat(64);
    private static final String C = "c".repeat(64);
    private static final int NODES = 4;
    private static final Roles ROLES = new Roles(
            Map.of(
                    SimImages.OTHER,
                    new Roles.Category(
                            Set.of(SimImages.QUEUE),
                            List.of(),
                            List.of(SimImages.OVERLAY),
                            Duration.ofSeconds(5),
                            Optional.of(new Terms(1, 1, 0, 5, 60, 0)),
                            Optional.empty())),
            Set.of(SimImages.OVERLAY),
            Duration.ofSeconds(2));

    private Story story = new Story(StorySetup.USUAL.with(ROLES), new SimWorld.Spec("east", NODES, 0, "1"));
    private final Set<String> left = new HashSet<>();

    private List<NodeRecord> nodes() {
        return story.journal.nodes().stream()
                .filter(node -> !node.isDirector() && node.isLive())
                .toList();
    }

    private String version(NodeRecord node) {
        return story.loop.heard("east").rootOf(node.id()).version();
    }

    private RolloutRecord record() {
        return story.journal.rollout(SimImages.OTHER).orElseThrow();
    }

    private boolean allServe(String version) {
        return nodes().stream()
                .allMatch(node ->
                        node.nodeState() == NodeState.READY && version(node).equals(version));
    }

    private Phase phase() {
        return record().rollout() == null ? Phase.DONE : record().rollout().phase();
    }

    private boolean isOver(String version) {
        return record().named().digest().equals(version) && !record().isUnderWay();
    }

    /** Nodes that are kept, each in the first version, and one job that goes on where it is. */
    private void serving(boolean busy) {
        story.world.version = A;
        story.world.site("east").turnsWell = true;
        Story.Job[] jobs = Stream.of("1", "2", "3", "4")
                .map(id -> new Story.Job(id, "east").in(SimImages.QUEUE).cpus(SimProvider.CPUS))
                .toArray(Story.Job[]::new);
        story.submit(jobs);
        story.until("all nodes are there", SOON, () -> nodes().size() == NODES);
        nodes().forEach(node -> story.loop.changeNode(node.id(), NodeAction.KEEP, story.world.clock.now()));
        story.until("all are idle", SOON, () -> story.journal.jobs().isEmpty() && allServe(A));
        if (busy) {
            story.world.site("east").runsLong = true;
            story.submit(new Story.Job("long", "east")
                    .in(SimImages.QUEUE)
                    .cpus(SimProvider.CPUS)
                    .lasting(Duration.ofHours(2)));
            story.until("a job runs", SOON, () -> story.state("long") == JobState.RUNNING);
        }
    }

    /** @return whether it is so; no more than one node is away at any time */
    private boolean watched(boolean isSo) {
        List<NodeRecord> away = nodes().stream()
                .filter(node -> node.nodeState() != NodeState.READY)
                .toList();
        away.forEach(node -> left.add(node.id()));
        assertThat(away).hasSizeLessThanOrEqualTo(1);
        return isSo;
    }

    @Test
    void oneIsFirstAndTheOthersFollowOneAtATime() {
        serving(false);
        story.world.version = B;
        story.until(
                "the canary has it",
                SOON,
                () -> watched(nodes().stream().anyMatch(node -> version(node).equals(B))));
        assertThat(left).hasSize(1);
        story.until("all have it", SOON, () -> watched(isOver(B)));
        assertThat(allServe(B)).isTrue();
        assertThat(phase()).isEqualTo(Phase.DONE);
        assertThat(record().settled().digest()).isEqualTo(B);
        assertThat(record().former().digest()).isEqualTo(A);
        assertThat(story.journal.store().timeline("rollout", SimImages.OTHER))
                .extracting(line -> line.to())
                .containsExactly("SETTLED", "CANARY", "BATCH_1", "BATCH_2", "BATCH_3", "BATCH_4", "DONE");
    }

    @Test
    void aBusyNodeGetsNoFurtherJobAndItsOwnGoesOnToItsEnd() {
        serving(true);
        String busy = story.job("long").run().nodes().getFirst();
        story.world.version = B;
        story.until(
                "the others have it",
                SOON,
                () -> watched(
                        nodes().stream().filter(node -> version(node).equals(B)).count() == NODES - 1));
        story.until(
                "it is drained",
                SOON,
                () -> watched(story.journal.node(busy).orElseThrow().nodeState() == NodeState.DRAINING));
        assertThat(story.journal.node(busy).orElseThrow().cause())
                .isEqualTo(new NodeCause.Repurposed(SimImages.OTHER, NodeFact.OTHER_VERSION));
        story.until(
                "its job is over",
                Duration.ofHours(3),
                () -> watched(story.state("long").isTerminal()));
        assertThat(story.state("long")).isEqualTo(JobState.DONE);
        assertThat(story.job("long").run().attempt()).isEqualTo(1);
        story.until("all have it", SOON, () -> watched(isOver(B)));
        assertThat(phase()).isEqualTo(Phase.DONE);
        assertThat(allServe(B)).isTrue();
        assertThat(story.journal.node(busy).orElseThrow().isLive()).isTrue();
    }

    @Test
    void aBadOneComesToTheCanaryOnlyAndIsTakenBackByItself() {
        serving(true);
        story.world.site("east").badVersion = B;
        story.world.version = B;
        story.until("it is over", SOON, () -> watched(isOver(B)));
        assertThat(phase()).isEqualTo(Phase.UNDONE);
        assertThat(left).hasSize(1);
        assertThat(record().cause())
                .isEqualTo(new RolloutCause.NodesFailed(
                        1, 0, left.iterator().next(), new NodeCause.GateFailed("root", "jobs cannot live in it")));
        assertThat(allServe(A)).isTrue();
        assertThat(nodes()).hasSize(NODES);
        story.pass(Duration.ofMinutes(5));
        assertThat(phase()).as("nobody begins it again").isEqualTo(Phase.UNDONE);
        assertThat(story.state("long")).isEqualTo(JobState.RUNNING);
    }

    @Test
    void afterABadOneABetterOneComes() {
        serving(false);
        story.world.site("east").badVersion = B;
        story.world.version = B;
        story.until("it is over", SOON, () -> watched(isOver(B)));
        assertThat(phase()).isEqualTo(Phase.UNDONE);
        story.world.version = C;
        story.until("all have it", SOON, () -> watched(isOver(C)));
        assertThat(phase()).isEqualTo(Phase.DONE);
        assertThat(allServe(C)).isTrue();
        assertThat(record().former().digest()).isEqualTo(A);
    }

    @Test
    void aHeadThatDiesAgainAndAgainGoesOnWhereItWas() {
        serving(false);
        story.world.version = B;
        int lives = 0;
        while (!isOver(B) && lives < 100) {
            story.passClosely(Duration.ofMillis(3400 + 200L * (lives % 7)));
            watched(true);
            story = story.restarted();
            lives++;
        }
        assertThat(phase()).isEqualTo(Phase.DONE);
        story.until("all serve", SOON, () -> allServe(B));
        assertThat(nodes()).hasSize(NODES);
        story.world.site("east").badVersion = C;
        story.world.version = C;
        left.clear();
        for (lives = 0; !isOver(C) && lives < 100; lives++) {
            // Nothing follows from one look, and a head that begins has had none.
            story.passClosely(Duration.ofSeconds(45));
            watched(true);
            story = story.restarted();
        }
        assertThat(phase()).isEqualTo(Phase.UNDONE);
        story.until("all serve", SOON, () -> allServe(B));
        assertThat(left).hasSizeLessThanOrEqualTo(1);
        assertThat(nodes()).hasSize(NODES);
    }

    @Test
    void oneThatAnAdministratorHasDrainedStaysAsItIsUntilItServesAgain() {
        serving(false);
        String drained = nodes().getFirst().id();
        story.loop.changeNode(drained, NodeAction.DRAIN, story.world.clock.now());
        story.world.version = B;
        story.until("the others have it", SOON, () -> isOver(B));
        assertThat(phase()).isEqualTo(Phase.DONE);
        NodeRecord node = story.journal.node(drained).orElseThrow();
        assertThat(node.cause()).isEqualTo(NodeFact.DRAINED_BY_HAND);
        assertThat(version(node)).isEqualTo(A);
        story.loop.changeNode(drained, NodeAction.RESUME, story.world.clock.now());
        story.until("it follows", SOON, () -> allServe(B));
    }
}
