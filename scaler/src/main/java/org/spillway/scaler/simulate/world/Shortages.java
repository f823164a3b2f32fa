package org.spillway.scaler.simulate.world;

import java.util.SplittableRandom;

/** When an offering cannot be had, drawn as far as was asked. Instants in milliseconds, asked in the order of time. */
public final class Shortages {
    private final SplittableRandom random;
    private final long every;
    private final long lasts;
    private long begins;
    private long ends;

    public Shortages(SimulatedOffering offering, Luck luck, long from) {
        this.random = luck.of("shortage " + offering.offering().id(), 0);
        this.every = offering.shortageEvery().toMillis();
        this.lasts = offering.shortageLasts().toMillis();
        this.begins = every == 0 || lasts == 0 ? Long.MAX_VALUE : from + Luck.exponential(random, every);
        this.ends = begins == Long.MAX_VALUE ? Long.MAX_VALUE : begins + Luck.exponential(random, lasts);
    }

    public boolean isShort(long at) {
        while (at >= ends) {
            begins = ends + Luck.exponential(random, every);
            ends = begins + Luck.exponential(random, lasts);
        }
        return at >= begins;
    }
}
