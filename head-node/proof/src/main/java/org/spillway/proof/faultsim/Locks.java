package org.spillway.proof.faultsim;

import java.util.List;

/** Draws when outputs cannot be written at home, apart from all other draws. */
final class Locks {
    private final SimWorld world;
    private final Draw draw;

    Locks(SimWorld world, Draw draw) {
        this.world = world;
        this.draw = draw;
    }

    void step(List<String> jobs) {
        if (!jobs.isEmpty() && draw.chance(0.02)) {
            world.drew("output unwritable");
            world.home.lock(
                    jobs.get(draw.between(0, jobs.size() - 1)),
                    draw.chance(0.5) ? "out" : "log",
                    world.clock.now().plusMillis(draw.between(500, draw.chance(0.3) ? 90_000 : 9_000)));
        }
    }
}
