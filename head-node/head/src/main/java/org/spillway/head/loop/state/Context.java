package org.spillway.head.loop.state;

import java.time.Instant;
import org.spillway.head.journal.Journal;
import org.spillway.head.loop.foreign.ForeignJobs;
import org.spillway.head.loop.money.History;
import org.spillway.head.loop.port.AskedCalls;
import org.spillway.head.loop.port.Ports;
import org.spillway.head.loop.settings.LoopSettings;

/** The parts that the loop hands to its rooms, each only what it needs: made once, seen by the loop alone. */
public final class Context {
    public final World world;
    public final Sites sites;
    public final LiveNodes live;
    public final Offers offers;
    public final Purse purse;
    public final ProviderQuotas quotas;
    public final JobMemory memory = new JobMemory();
    public final NodeMemory seen = new NodeMemory();
    public final ForeignJobs foreign;

    public Context(LoopSettings settings, Journal journal, Ports ports, Instant now) {
        this.world = new World(settings, journal, ports, now, new AskedCalls(ports.effects(), now));
        this.foreign = new ForeignJobs(journal);
        this.sites = new Sites(world);
        this.live = new LiveNodes(world, sites, seen.sights(), foreign);
        this.offers = new Offers(world, sites);
        History history = new History(journal, settings.limits().shares());
        Egress egress = new Egress(world, sites, history, memory.transfers());
        this.quotas = new ProviderQuotas(sites, live);
        Capping capping = new Capping(world, sites, live, egress, quotas);
        this.purse = new Purse(world, egress, capping, history);
    }
}
