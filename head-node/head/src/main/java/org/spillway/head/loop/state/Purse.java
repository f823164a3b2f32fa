package org.spillway.head.loop.state;

import java.time.Duration;
import java.time.Instant;
import org.spillway.head.loop.money.History;
import org.spillway.head.loop.money.Spending;
import org.spillway.head.loop.settings.SitePlan;
import org.spillway.policy.Money;

/** The budget: what there is, what is left of it, and who may have it. Written by {@link #allow} alone. */
public final class Purse {
    private final World world;
    private final Egress egress;
    private final Capping capping;
    private final History history;
    private final Lifespan lifespan;
    /** REST reads it, too. */
    private volatile Money budget;

    Purse(World world, Egress egress, Capping capping, History history) {
        this.world = world;
        this.egress = egress;
        this.capping = capping;
        this.history = history;
        this.lifespan = new Lifespan(world);
        this.budget = world.settings().spending().budget();
    }

    /** Prices of sites for letting results out. */
    public Egress egress() {
        return egress;
    }

    /** The administrator's limits. */
    public Capping capping() {
        return capping;
    }

    /** Run times of ended jobs. */
    public History history() {
        return history;
    }

    /** Time and money for jobs, where the head has an end. */
    public Lifespan lifespan() {
        return lifespan;
    }

    /** For one period. Any thread. */
    public Money budget() {
        return budget;
    }

    /** The parent of this cluster lets it have so much from now on. */
    public void allow(Money most) {
        if (!most.equals(budget)) {
            lifespan.paid();
        }
        budget = most;
    }

    public Money left(Instant now) {
        Instant start = world.settings().spending().periodStart(now);
        return budget.minus(Spending.of(world.journal().nodes(), start, now))
                .minus(Spending.ofClusters(world.journal().clusters(), start))
                .minus(egress.of(start))
                .minus(Spending.ofUnknown(world.journal().recoveries(), start, now));
    }

    /** How long a new node's price is reserved: to come up, to run its job, to idle, and to be ended. */
    public Duration reservation(SitePlan site, Duration walltime) {
        return site.nodes()
                .registration()
                .plus(walltime)
                .plus(world.settings().spending().idleTime())
                .plus(world.settings().spending().endingAllowance());
    }
}
