package org.spillway.head.bench;

import java.util.Optional;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Console;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Inventory;
import org.spillway.cloud.Network;
import org.spillway.cloud.Power;
import org.spillway.cloud.RateLimits;
import org.spillway.cloud.Site;

/** A site whose provider is an emulation on this machine, which limits nothing: the vendor's buckets are not its. */
record LimitlessSite(Site site) implements Site {
    @Override
    public RateLimits rateLimits() {
        return RateLimits.NONE;
    }

    @Override
    public Compute compute() {
        return site.compute();
    }

    @Override
    public Diagnostics diagnostics() {
        return site.diagnostics();
    }

    @Override
    public Optional<Power> power() {
        return site.power();
    }

    @Override
    public Optional<Console> console() {
        return site.console();
    }

    @Override
    public Optional<Network> network() {
        return site.network();
    }

    @Override
    public Optional<Inventory> inventory() {
        return site.inventory();
    }

    @Override
    public void close() {
        site.close();
    }
}
