package org.spillway.head.ondemand;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.spillway.api.ClusterState;
import org.spillway.cloud.LaunchRequest;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.ClusterCause;
import org.spillway.head.journal.ClusterMachine;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.DelegatedRecord;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.MemoryJournalStore;

/** H3: a cluster in a site that is full for a moment, by the real part of the loop. */
final class FullSiteTest {
    private final ChildWorld world = new ChildWorld(new Random(1), Kids.MADE);
    private final Journal journal = new Journal(new MemoryJournalStore(), java.time.Instant.EPOCH);
    private final DrawnEffects wire = new DrawnEffects(new Random(1));
    private final Clusters clusters = world.clusters(journal, wire, Optional.empty());

    private ClusterRecord child() {
        return journal.cluster("main-c1").orElseThrow();
    }

    private void turns(int count) throws Exception {
        for (int i = 0; i < count; i++) {
            world.now = world.now.plusSeconds(1);
            clusters.advance(world.now, false);
            wire.step(5);
            wire.handBack();
        }
    }

    @Test
    void noHeadIsBoughtBeforeItsNodesHaveAPlaceAndItSaysWhy() throws Exception {
        world.vacancy = new ClusterCause.SiteFull("west", 0, 2);
        journal.commit(Kids.MADE, Kids.made(Duration.ofHours(1), "5"));
        turns(30);
        assertThat(child().clusterState()).isEqualTo(ClusterState.REQUESTED);
        assertThat(child().head()).isEqualTo(ClusterMachine.NONE);
        assertThat(clusters.remark("main-c1")).isEqualTo(world.vacancy);
        assertThat(clusters.isBusy()).as("nothing is expected soon").isFalse();
        world.vacancy = Cause.NONE;
        turns(3);
        assertThat(child().clusterState()).isEqualTo(ClusterState.CREATING);
        assertThat(clusters.remark("main-c1")).isNotInstanceOf(ClusterCause.SiteFull.class);
    }

    @Test
    void itsTimeEndsAWaitThatCostNothing() throws Exception {
        world.vacancy = new ClusterCause.SiteFull("west", 0, 2);
        journal.commit(Kids.MADE, Kids.made(Duration.ofSeconds(30), "5"));
        turns(60);
        assertThat(child().clusterState()).isIn(ClusterState.DELETING, ClusterState.DELETED);
        assertThat(world.machines).isEmpty();
    }

    @Test
    void aRefusalIsItsRemarkAndTheEndOfSomethingOfTheSiteWakesItsHeadOnce() throws Exception {
        journal.commit(Kids.MADE, Kids.made(Duration.ofHours(1), "5"));
        DelegatedRecord neighbour = neighbour();
        journal.commit(Kids.MADE, List.<Entry>of(neighbour));
        for (int i = 0; i < 300 && child().clusterState() != ClusterState.RUNNING; i++) {
            turns(1);
            world.pass(1, true);
        }
        turns(10);
        assertThat(clusters.remark("main-c1")).isEqualTo(Cause.NONE);
        world.nodes = 0;
        world.refusal = Optional.of(new Estate.Refusal(world.now, "site west is full"));
        turns(20);
        assertThat(clusters.remark("main-c1")).isEqualTo(new ClusterCause.NodesRefused(0, 2, "site west is full"));
        assertThat(world.wakes).as("nothing has ended").isZero();
        journal.commit(world.now, List.<Entry>of(neighbour.to(DelegatedRecord.State.REFUSED, Cause.NONE, world.now)));
        turns(20);
        assertThat(world.wakes).isEqualTo(1);
    }

    private static DelegatedRecord neighbour() {
        var offering = new org.spillway.policy.OfferingId("west", "a", "small", org.spillway.policy.Market.ON_DEMAND);
        var request = LaunchRequest.of("i9", 1, offering, 1);
        return new DelegatedRecord(
                "main-c9",
                request.token(),
                request,
                DelegatedRecord.State.CALLED,
                List.of(new DelegatedRecord.Price(offering, org.spillway.policy.Money.parse("1"))),
                Duration.ofMinutes(1),
                Kids.MADE,
                Kids.MADE,
                null,
                List.of(),
                List.of(),
                Cause.NONE);
    }
}
