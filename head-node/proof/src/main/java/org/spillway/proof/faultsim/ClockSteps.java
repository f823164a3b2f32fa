package org.spillway.proof.faultsim;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.spillway.head.journal.JournalStore;
import org.spillway.head.service.SteadyClock;

/**
 * Draws when somebody sets the clock of the head's machine: by ten minutes or an hour, forward or back, apart from all other
 * draws. A head goes by the production clock, which takes the machine's word at a start and then counts.
 */
final class ClockSteps {
    private static final Duration[] STEPS = {
        Duration.ofHours(1), Duration.ofHours(-1), Duration.ofMinutes(10), Duration.ofMinutes(-10)
    };

    private final SimWorld world;
    private final Draw draw;
    private final Instant begin;
    private Duration wrongBy = Duration.ZERO;
    private @Nullable SteadyClock head;

    ClockSteps(SimWorld world, Draw draw) {
        this.world = world;
        this.draw = draw;
        this.begin = world.clock.now();
    }

    /** @return whether the clock was set */
    boolean step() {
        if (!draw.chance(0.01)) {
            return false;
        }
        wrongBy = wrongBy.plus(STEPS[draw.between(0, STEPS.length - 1)]);
        world.drew("clock of the head set");
        return true;
    }

    /** Whether the head's process ends with the step, as when its machine was started again. */
    boolean endsTheHead() {
        return draw.chance(0.5);
    }

    /** The clock is set right. */
    void calm() {
        wrongBy = Duration.ZERO;
    }

    /** A head starts. */
    void begun(JournalStore store) {
        head = SteadyClock.from(
                () -> world.clock.now().plus(wrongBy),
                () -> Duration.between(begin, world.clock.now()).toNanos(),
                store.latest());
    }

    /** As the head that lives now takes it. */
    Instant now() {
        return head == null ? world.clock.now() : head.instant();
    }
}
