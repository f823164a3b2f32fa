package org.spillway.cloud;

import java.util.Optional;

/** Another site with something changed: what a subclass does not override is as it was. */
public abstract class ForwardingSite implements Site {
    private final Site site;

    protected ForwardingSite(Site site) {
        this.site = site;
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
    public Optional<Quotas> quotas() {
        return site.quotas();
    }

    @Override
    public RateLimits rateLimits() {
        return site.rateLimits();
    }

    @Override
    public Optional<CallMeter> calls() {
        return site.calls();
    }

    @Override
    public void close() {
        site.close();
    }
}
