package org.spillway.head.ondemand;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.spillway.cloud.Instance;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.JournalFailure;
import org.spillway.head.journal.MemoryJournalStore;
import org.spillway.head.loop.state.Rivals;

/** Two heads of one backup whose only common machine is that of a cluster's head. */
final class CommandersTest {
    private final ChildWorld world = new ChildWorld(new Random(1), Kids.MADE);
    private final Life first = new Life(false, 0);

    CommandersTest() {
        world.machines.put(
                "m-1",
                Instance.of(
                                "m-1",
                                ChildWorld.SMALL,
                                Instance.State.RUNNING,
                                Kids.MADE,
                                Map.of(Instance.TAG_ROLE, "HEAD"))
                        .at("192.0.2.1", 22));
    }

    /** A head, with its own copy of the journal. */
    private final class Life {
        final StepEffects wire = new StepEffects();
        final Rivals rivals;
        final Commanders commanders;
        private long number;

        Life(boolean moved, long base) {
            var journal = new Journal(new MemoryJournalStore(), Instant.EPOCH);
            journal.commit(Kids.MADE, Kids.running(Duration.ofHours(3), "50"));
            rivals = new Rivals(moved, world.now);
            number = base;
            commanders = new Commanders(journal, wire, world, () -> rivals, () -> ++number);
        }

        /** As the loop does. @return whether it may begin anything */
        boolean turn() {
            wire.handBack();
            if (rivals.isHeldBack(commanders.led(), world.now) && !rivals.isSettledBy(commanders.led())) {
                commanders.ask(world.now);
                return false;
            }
            commanders.advance(world.now, false);
            return true;
        }
    }

    private void second() {
        world.now = world.now.plusSeconds(1);
    }

    private void speaks(Life life, int seconds) {
        for (int i = 0; i < seconds; i++) {
            second();
            life.turn();
        }
    }

    @Test
    void aCopyFindsOutBeforeItBeginsAnything() {
        speaks(first, 20);
        assertThat(world.commander).isBetween(1L, 6L);
        Life copy = new Life(true, 1000);
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 15; i++) {
                        second();
                        first.turn();
                        assertThat(copy.turn()).isFalse();
                    }
                })
                .isInstanceOf(JournalFailure.class)
                .hasMessageContaining("another head of this state is alive: it commands cluster main-c1");
        assertThat(world.commander).as("it has said nothing").isLessThan(1000);
    }

    @Test
    void aHeadThatStoodStillWhileACopyTookOverGivesWay() {
        speaks(first, 20);
        Life copy = new Life(true, 1000);
        speaks(copy, 20);
        assertThat(copy.turn()).isTrue();
        assertThat(world.commander).isGreaterThan(1000);
        assertThatThrownBy(() -> speaks(first, 10))
                .isInstanceOf(JournalFailure.class)
                .hasMessageContaining("has taken over cluster main-c1");
    }

    @Test
    void aMachineThatCannotBeReachedHoldsNobodyUpForEver() {
        world.reachable = false;
        Life copy = new Life(true, 1000);
        speaks(copy, 20);
        assertThat(copy.turn()).isTrue();
        assertThat(copy.rivals.onlyAsks("cluster main-c1"))
                .as("asked all the same")
                .isTrue();
    }
}
