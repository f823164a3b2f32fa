package org.spillway.proof.faultsim;

import java.util.List;

/** Draws when a provider's listings come with a good status and are wrong, apart from all other draws. */
final class Lies {
    /** Kinds of a wrong listing. */
    enum Lie {
        /** No instance at all. */
        EMPTY,
        /** The first half. */
        HALF,
        /** An instance is missing. */
        MOVED,
        /** As of some seconds ago, longer than the provider's window. */
        STALE,
        /** An instance that runs is said to have ended. */
        ENDED,
        /** An instance that runs is said to be ending. */
        ENDING,
        /** An instance that runs is said to be off. */
        OFF
    }

    private final SimWorld world;
    private final Draw draw;

    Lies(SimWorld world, Draw draw) {
        this.world = world;
        this.draw = draw;
        // Some providers cannot be asked by id: there two listings apart prove an end, so they lie for a shorter time.
        world.sites.values().forEach(site -> site.provider.canAskById = draw.chance(0.7));
    }

    void step() {
        for (SimSite site : world.sites.values()) {
            if (draw.chance(0.01)) {
                world.drew("lying listing");
                List<Lie> all = List.of(Lie.values());
                int most = site.provider.canAskById ? 90_000 : 20_000;
                site.provider.lies(
                        all.get(draw.between(0, all.size() - 1)),
                        world.clock.now().plusMillis(draw.between(200, draw.chance(0.7) ? 3_000 : most)));
            }
        }
    }
}
