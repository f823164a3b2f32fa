package org.spillway.head.ondemand;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchRequest;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.MemoryJournalStore;
import org.spillway.head.past.Standing;

/** The machine of a cluster's head bears the state that bought it, and no other state's is taken for it. */
final class HeadMachineTagTest {
    private static final Standing OURS = new Standing("a.2.x", 2, Set.of("a.1.w", "a.2.x"), false, false);

    private final ChildWorld world = new ChildWorld(new Random(1), Kids.MADE);
    private final MemoryJournalStore store = new MemoryJournalStore();
    private final Journal journal = new Journal(store, Instant.EPOCH);
    private final DrawnEffects wire = new DrawnEffects(new Random(1));
    private final Clusters clusters = world.clusters(journal, wire, Optional.empty());

    private ClusterRecord child() {
        return journal.cluster("main-c1").orElseThrow();
    }

    private void turns(int count) throws Exception {
        for (int i = 0; i < count; i++) {
            world.pass(1, true);
            clusters.advance(world.now, false);
            wire.step(5);
            wire.handBack();
        }
    }

    private LaunchRequest request() throws Exception {
        journal.commit(Kids.MADE, Kids.made(Duration.ofHours(1), "5"));
        for (int i = 0; i < 60 && child().head().request() == null; i++) {
            turns(1);
        }
        return Optional.ofNullable(child().head().request()).orElseThrow();
    }

    @Test
    void itsRequestBearsTheStateAndTheEpoch() throws Exception {
        store.stands(OURS);
        assertThat(request().tags()).containsEntry("spillway-state", "a.2.x");
    }

    @Test
    void aMachineOfAnotherStateWithTheSameNameIsNotTakenForIt() throws Exception {
        store.stands(OURS);
        world.losesLaunches = true;
        LaunchRequest request = request();
        world.machines.put("m-another", another(request, "a.2.y"));
        turns(60);
        assertThat(child().head().instance()).isNull();
        world.machines.put("m-ours", another(request, "a.2.x"));
        turns(10);
        assertThat(child().head().instance()).isEqualTo("m-ours");
    }

    private static Instance another(LaunchRequest request, String state) {
        return Instance.of(
                        "a.2.x".equals(state) ? "m-ours" : "m-another",
                        ChildWorld.SMALL,
                        Instance.State.RUNNING,
                        Kids.MADE,
                        Map.of(
                                Instance.TAG_INTENT,
                                request.intent(),
                                Instance.TAG_ROLE,
                                "HEAD",
                                Instance.TAG_STATE,
                                state))
                .at("192.0.2.1", 22);
    }
}
