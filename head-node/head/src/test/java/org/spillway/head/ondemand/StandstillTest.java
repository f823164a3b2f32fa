package org.spillway.head.ondemand;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.spillway.api.ClusterState;
import org.spillway.api.ClusterState.Stage;
import org.spillway.cloud.CloudException;
import org.spillway.head.bootstrap.StepFailed;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.MemoryJournalStore;
import org.spillway.policy.LaunchOutcome;

/** A parent or a machine that stands still, or cannot be reached, for some minutes costs no cluster that is being made. */
final class StandstillTest {
    private final ChildWorld world = new ChildWorld(new Random(1), Kids.MADE);
    private final MemoryJournalStore store = new MemoryJournalStore();
    private final Journal journal = new Journal(store, java.time.Instant.EPOCH);
    private final DrawnEffects wire = new DrawnEffects(new Random(1));
    private final Clusters clusters = world.clusters(journal, wire, Optional.empty());

    private ClusterRecord child() {
        return journal.cluster("main-c1").orElseThrow();
    }

    private void turn(Clusters parts, DrawnEffects effects) throws Exception {
        world.pass(1, true);
        parts.advance(world.now, false);
        effects.step(5);
        effects.handBack();
    }

    private void until(Stage stage) throws Exception {
        journal.commit(Kids.MADE, Kids.made(Duration.ofHours(3), "50"));
        for (int i = 0; i < 600 && child().stage() != stage; i++) {
            turn(clusters, wire);
        }
        assertThat(child().stage()).isEqualTo(stage);
        assertThat(child().clusterState()).isEqualTo(ClusterState.CREATING);
    }

    private void comesUp(Clusters parts, DrawnEffects effects) throws Exception {
        for (int i = 0; i < 120 && child().clusterState() == ClusterState.CREATING; i++) {
            turn(parts, effects);
        }
        assertThat(child().clusterState()).as(child().toString()).isEqualTo(ClusterState.RUNNING);
    }

    @Test
    void aParentThatStoodStillOrWhoseClockWasSetHasNotWaited() throws Exception {
        until(Stage.HEAD_START);
        world.pass(3600, true);
        comesUp(clusters, wire);
    }

    @Test
    void aParentThatWasAwayHasNotWaited() throws Exception {
        until(Stage.HEAD_START);
        world.pass(3600, true);
        var later = new DrawnEffects(new Random(2));
        comesUp(world.clusters(journal, later, Optional.empty()), later);
    }

    @Test
    void aMachineThatCannotBeReachedForFiveMinutesIsWaitedFor() throws Exception {
        until(Stage.HEAD_START);
        world.reachable = false;
        for (int i = 0; i < 300; i++) {
            turn(clusters, wire);
        }
        world.reachable = true;
        comesUp(clusters, wire);
    }

    @Test
    void oneThatNeverComesBackIsGivenUp() throws Exception {
        until(Stage.HEAD_START);
        world.reachable = false;
        for (int i = 0; i < 700; i++) {
            turn(clusters, wire);
        }
        assertThat(child().clusterState()).isIn(ClusterState.DELETING, ClusterState.FAILED);
        assertThat(child().failure().text()).contains("head-start");
    }

    @Test
    void aStepThatFailedOnTheMachineCountsAndALinkThatIsDownDoesNot() {
        assertThat(Verdicts.counts(new StepFailed("no space left"))).isTrue();
        assertThat(Verdicts.counts(new IllegalStateException("a mistake of ours")))
                .isTrue();
        assertThat(Verdicts.counts(new IOException("no SSH session"))).isFalse();
        assertThat(Verdicts.counts(new CloudException(LaunchOutcome.Reason.CREDENTIALS, "no")))
                .isTrue();
        assertThat(Verdicts.counts(new CloudException(LaunchOutcome.Reason.THROTTLED, "later")))
                .isFalse();
    }
}
