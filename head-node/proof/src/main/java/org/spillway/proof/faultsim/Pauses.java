package org.spillway.proof.faultsim;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Draws when the head's process or a director's stands still, as after a SIGSTOP, for up to five minutes, and then goes on with
 * what it knew before. Apart from all other draws.
 */
final class Pauses {
    private final SimWorld world;
    private final Draw draw;
    private @Nullable Instant headUntil;

    Pauses(SimWorld world, Draw draw) {
        this.world = world;
        this.draw = draw;
    }

    void step() {
        if (draw.chance(0.002)) {
            headUntil = drawn();
            world.drew("head paused");
        }
        for (SimSite site : world.sites.values()) {
            if (draw.chance(0.001)) {
                Instant until = drawn();
                site.directors.values().stream()
                        .filter(director -> director.runs && director.machine.isLive())
                        .forEach(director -> {
                            director.pausedUntil = until;
                            world.drew("director paused");
                        });
            }
        }
    }

    private Instant drawn() {
        return world.clock.now().plusMillis(draw.between(1_000, draw.chance(0.7) ? 25_000 : 300_000));
    }

    boolean isHeadPaused() {
        return headUntil != null && world.clock.now().isBefore(headUntil);
    }
}
