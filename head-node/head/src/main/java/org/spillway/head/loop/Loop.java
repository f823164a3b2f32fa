package org.spillway.head.loop;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.spillway.api.NodeState;
import org.spillway.cloud.fleet.Listing;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.SiteCause;
import org.spillway.head.explain.JobFacts;
import org.spillway.head.explain.NodeFacts;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.loop.foreign.ForeignJobs;
import org.spillway.head.loop.handover.DataDesk;
import org.spillway.head.loop.handover.Following;
import org.spillway.head.loop.handover.HandOver;
import org.spillway.head.loop.jobs.Jobs;
import org.spillway.head.loop.jobs.PlacementView;
import org.spillway.head.loop.launches.Launches;
import org.spillway.head.loop.nodes.ByHand;
import org.spillway.head.loop.nodes.NodeAction;
import org.spillway.head.loop.nodes.NodeTurn;
import org.spillway.head.loop.nodes.Nodes;
import org.spillway.head.loop.nodes.OrderRefused;
import org.spillway.head.loop.nodes.OtherVersions;
import org.spillway.head.loop.nodes.Powering;
import org.spillway.head.loop.nodes.Releasing;
import org.spillway.head.loop.nodes.Rollouts;
import org.spillway.head.loop.nodes.StandingSupply;
import org.spillway.head.loop.nodes.TurnsByHand;
import org.spillway.head.loop.port.Ports;
import org.spillway.head.loop.settings.LoopSettings;
import org.spillway.head.loop.settings.SitePlan;
import org.spillway.head.loop.sites.Breaking;
import org.spillway.head.loop.sites.Directors;
import org.spillway.head.loop.sites.Listings;
import org.spillway.head.loop.sites.Recovering;
import org.spillway.head.loop.sites.SiteChecks;
import org.spillway.head.loop.state.Context;
import org.spillway.head.loop.state.Heard;
import org.spillway.head.loop.state.JobMemory;
import org.spillway.head.loop.state.Lifespan;
import org.spillway.head.loop.state.LiveNodes;
import org.spillway.head.loop.state.NodeMemory;
import org.spillway.head.loop.state.NodePurchase;
import org.spillway.head.loop.state.Offers;
import org.spillway.head.loop.state.Purse;
import org.spillway.head.loop.state.Rivals;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.Transfers;
import org.spillway.head.loop.state.World;
import org.spillway.head.loop.supply.Scaling;
import org.spillway.head.loop.supply.Supply;
import org.spillway.head.loop.waits.WaitFinding;
import org.spillway.head.loop.waits.Waits;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.scaler.Scaler;
import org.spillway.scaler.plan.OfferingHealth;

/**
 * The head's loop, one tick at a time. A tick takes in what effects have brought back, decides, writes the journal,
 * and begins effects; it never waits. It may be killed between any two of these: what is in the journal is enough to
 * go on. One thread.
 */
public final class Loop {
    final Context context;
    private final Waits waits = new Waits();
    private final Listings listings;
    private final SiteChecks checks;
    private final Launches launches;
    private final Directors directors;
    private final Jobs jobs;
    private final Nodes nodes;
    private final Supply supply;
    private final Scaling scaling;
    private final StandingSupply standingSupply;
    private final Explaining explaining;
    private final Standings standings;
    private final ByHand byHand;
    private final TurnsByHand turns;
    private final Rollouts rollouts;
    private final OtherVersions otherVersions;
    private final Powering powering;
    private final DataDesk data;
    private final Breaking breaking;
    private final Releasing releasingNodes;
    private boolean started;
    private volatile boolean releasing;
    private final List<LoopPart> parts = new ArrayList<>();

    /** Before the first tick. */
    public void add(LoopPart part) {
        parts.add(part);
    }

    /** @param clock the time at which an effect's end is handed back */
    public Loop(LoopSettings settings, Journal journal, Ports ports, Supplier<Instant> clock) {
        this(new Context(settings, journal, ports, clock.get()), clock, new LoopParts());
    }

    Loop(Context context, Supplier<Instant> clock, LoopParts parts) {
        this.context = context;
        World world = context.world;
        Sites sites = context.sites;
        LiveNodes live = context.live;
        Offers offers = context.offers;
        Purse purse = context.purse;
        JobMemory memory = context.memory;
        NodeMemory seen = context.seen;
        ForeignJobs foreign = context.foreign;
        this.launches = parts.launches(context, clock);
        this.listings = new Listings(world, sites, live, seen, clock);
        this.checks = new SiteChecks(world, sites, context.quotas);
        this.directors = new Directors(world, sites, live, purse, seen, foreign, launches, clock);
        this.jobs = new Jobs(
                world,
                sites,
                live,
                offers,
                purse,
                memory,
                seen,
                foreign,
                clock,
                parts.over(),
                attempts -> new HandOver(
                        world,
                        sites,
                        memory,
                        foreign,
                        waits,
                        attempts,
                        new Following(world, sites, memory, foreign, parts.over(), parts.runs())));
        this.nodes = new Nodes(world, sites, live, memory, seen, foreign, jobs, parts.rules());
        this.supply = new Supply(world, sites, live, offers, purse, memory, seen, foreign);
        this.scaling = new Scaling(world, sites, live, offers, purse, supply, launches);
        this.standingSupply = new StandingSupply(world, sites, live, offers, purse, seen, launches);
        this.standings = new Standings(world, sites, memory, waits);
        this.explaining = new Explaining(world, sites, live, purse, memory, seen, standings, supply);
        this.byHand = new ByHand(world, sites, live, offers, purse, seen, launches);
        this.turns = new TurnsByHand(world, sites, live, purse, foreign);
        this.rollouts = new Rollouts(world, sites, live, foreign);
        this.otherVersions = new OtherVersions(world, sites, live, purse, foreign);
        this.data = new DataDesk(context.sites, world, memory, foreign, waits::of);
        this.powering = new Powering(world, sites, live, seen);
        this.releasingNodes = new Releasing(world, live);
        this.breaking = new Breaking(world, sites, seen);
    }

    public void tick(Instant now) {
        if (!started) {
            started = true;
            nodes.repeat();
            jobs.repeat(now);
        }
        context.world.ports().effects().handBack();
        List<WaitFinding> found = new ArrayList<>();
        try {
            advance(found, now);
        } finally {
            waits.take(found, job -> context.world.journal().liveJob(job).isPresent());
        }
        jobs.tell();
        data.tell();
        context.world.calls().forgetOld(now);
    }

    /** Each room in its turn. @param found takes what they find out about why jobs wait */
    private void advance(List<WaitFinding> found, Instant now) {
        List<String> led = parts.stream().flatMap(part -> part.led().stream()).toList();
        if (directors.asksFirst(led, now)) {
            parts.forEach(part -> part.ask(now));
            return;
        }
        context.purse.egress().advance(now);
        context.purse.lifespan().advance(context.purse, now);
        checks.advance(now);
        listings.advance(now);
        jobs.collectEnded(now);
        nodes.advance(now);
        if (!releasing) {
            // Before jobs are given to what has just become ready.
            rollouts.advance(now);
            otherVersions.advance(now);
        }
        powering.advance(now);
        found.addAll(directors.advance(now, releasing));
        found.addAll(jobs.advance(now, releasing));
        if (releasing) {
            releasingNodes.advance(now);
        } else {
            breaking.advance(now);
            byHand.advance(now);
            turns.advance(now);
            standingSupply.advance(now);
            found.addAll(scaling.advance(now));
        }
        launches.advance(now, releasing);
        parts.forEach(part -> part.advance(now, releasing));
    }

    /** Begins to find out what the scaler would do now. Loop thread only; what it answers is waited for elsewhere. */
    public Scaler.Asked plan(Instant now) {
        return scaling.plan(now);
    }

    /** Where a job would go if it were submitted now. Changes nothing. Loop thread only. @param inputBytes of its input */
    public PlacementView wouldPlace(JobSpec spec, long inputBytes, Instant now) {
        return jobs.placing().wouldPlace(spec, inputBytes, now);
    }

    /** Facts about why a job is where it is; empty for an unknown job. Loop thread only. */
    public Optional<JobFacts> explain(String job, Instant now) {
        return context.world.journal().job(job).map(found -> explaining.of(found, now));
    }

    /** Facts about why a node is there; empty for one that is not remembered. Loop thread only. */
    public Optional<NodeFacts> explainNode(String node) {
        return context.world.journal().node(node).map(explaining::of);
    }

    /**
     * Launches nodes by hand. Loop thread only.
     *
     * @return the nodes that are launched; none when the site's director has to come up first, which happens then
     * @throws OrderRefused when it may not be
     */
    public List<NodeRecord> addNodes(NodePurchase purchase, Instant now) {
        if (releasing) {
            throw OrderRefused.headEnds();
        }
        return byHand.add(purchase, now);
    }

    /**
     * Does something to a node; what is so already is success. Loop thread only.
     *
     * @throws OrderRefused when it cannot be done now
     */
    public NodeRecord changeNode(String id, NodeAction action, Instant now) {
        return byHand.change(id, action, now);
    }

    /**
     * Makes another of a node, at once or when its jobs are over; what is so already is success. Loop thread only.
     *
     * @throws OrderRefused when it cannot be done now
     */
    public NodeRecord turnNode(String id, NodeTurn turn, Instant now) {
        if (releasing) {
            throw OrderRefused.headEnds();
        }
        return turns.turn(byHand.node(id), turn, now);
    }

    /**
     * Sets what the parent of a cluster on demand lets it have from now on, in place of what was configured. Loop
     * thread only. Idempotent.
     *
     * @return how many nodes the site has; while that is more than it may, some of them have jobs or are ending
     */
    public int allow(String site, int nodes, Money budget, Instant now) {
        var state = context.sites.of(site);
        if (state.plan.nodes().most() != nodes) {
            state.plan = state.plan.withNodes(nodes);
        }
        context.purse.allow(budget);
        context.world.journal().forgetFull(site);
        return byHand.shrink(site, nodes, now);
    }

    /** Time and money for jobs, where this head has an end. */
    public Lifespan lifespan() {
        return context.purse.lifespan();
    }

    /** Machines that the journal does not know. Loop thread only. */
    public Recovering recovering() {
        return listings.recovering();
    }

    /** The budget of a period. Any thread. */
    public Money budget() {
        return context.purse.budget();
    }

    /** Money reserved for bringing results home. Any thread. */
    public Money egressCommitted() {
        return context.purse.egress().committed();
    }

    /** How many nodes a site may have for this head's jobs: its limit without what children have. Any thread. */
    public int maxNodes(String site) {
        return context.offers.most(context.sites.of(site).plan);
    }

    /** Calls to a site's provider: those that were made, and those that may be. Any thread. */
    public SitePlan.Calls calls(String site) {
        return context.sites.of(site).plan.provider().calls();
    }

    /** From now on nothing is launched and everything ends; jobs that wait stay in the journal. */
    public void beginRelease() {
        releasing = true;
    }

    public boolean isReleasing() {
        return releasing;
    }

    /** Whether anything is expected to change soon, so that the next tick should not wait long. */
    public boolean isBusy() {
        return !context.world.journal().jobs().isEmpty()
                || parts.stream().anyMatch(LoopPart::isBusy)
                || context.live.nodes().stream().anyMatch(node -> node.nodeState() != NodeState.READY);
    }

    /** How many more nodes a site may have, its own and children's together. Loop thread only. */
    public int room(String site) {
        return context.offers.most(context.sites.of(site).plan) - context.live.count(site);
    }

    /** Why a job is where it is, and when it may start: all that shows a job says it from here. Any thread. */
    public Standing standing(JobRecord job) {
        return standings.of(job);
    }

    /** Why nothing can begin in a site now; empty when its director is there or on its way, and for no site. */
    public Cause siteObstacle(String site) {
        return context.sites.obstacle(site);
    }

    /** How far data has come, to be read only; what says so there, by any thread. */
    public Transfers transfers() {
        return context.memory.transfers();
    }

    /** Digest of the image at home. */
    public String image() {
        return context.world.ports().images().current().sha256();
    }

    /** The last word of a site's director. Any thread. */
    public Heard heard(String site) {
        return new Heard(context.sites.of(site).report);
    }

    /** The trouble of a site now; none when there is none. Any thread. */
    public Cause trouble(String site) {
        return context.sites
                .of(site)
                .ailment()
                .or(context.sites.unknowns().isQuarantined() ? SiteCause.SiteFact.QUARANTINED : Cause.NONE);
    }

    /** Why a site cannot be used; none while it can. Any thread. */
    public Cause unusable(String site) {
        return context.sites.of(site).unusable();
    }

    /** Nothing more is bought in a site until it is opened again. Loop thread only. */
    public void closeSite(String site, Cause why) {
        context.sites.of(site).closed = why;
    }

    /** Ends {@link #closeSite}, and has the site looked at. Loop thread only. */
    public void openSite(String site) {
        context.sites.of(site).closed = Cause.NONE;
        context.sites.of(site).checkedAt = null;
    }

    /** The health of offerings that were asked for. Any thread. */
    public Map<OfferingId, OfferingStatus> offeringHealth(Instant now) {
        return OfferingHealth.fold(context.world.journal().launches(), now, Map.of()).stream()
                .collect(Collectors.toMap(OfferingStatus::id, status -> status));
    }

    /** A site's offerings, as last read; empty before. */
    public List<Offering> offerings(String site) {
        return context.sites.of(site).offerings();
    }

    /** The offering of a site's director; empty while the site sells none. Any thread. */
    public Optional<Offering> directorOffering(String site) {
        return context.sites.of(site).directorOffering();
    }

    /** Heads that were made of this one's state. Loop thread only. */
    public Rivals rivals() {
        return context.sites.rivals();
    }

    /** The next number of what this head says to those whom it commands. Loop thread only. */
    public long nextDirective() {
        return context.sites.nextDirective();
    }

    /** Money that the budget of this period has room for. Loop thread only. */
    public Money budgetLeft(Instant now) {
        return context.purse.left(now);
    }

    /** When the site's director answered last; empty when it has not answered in this head's life. */
    public Optional<Instant> lastAnswer(String site) {
        return Optional.ofNullable(context.sites.of(site).syncedAt);
    }

    /** When the last good listing of the site's instances was asked for; empty before the first. Any thread. */
    public Optional<Instant> lastListing(String site) {
        return Optional.ofNullable(context.sites.of(site).listing).map(Listing::startedAt);
    }

    /** The most that bringing home the results of one of these jobs is expected to cost. Loop thread only. */
    public Money egressOfOne(List<String> jobs) {
        return context.purse.egress().ofOne(jobs);
    }

    /** Jobs that wait in a site, by their shape in plans, the oldest first. Loop thread only. */
    public Map<String, List<String>> jobsByShape() {
        return supply.jobsByShape();
    }

    /** The director that serves a site now; any thread. */
    public Optional<DirectorTarget> director(String site) {
        return context.sites.readyDirector(site).map(Sites::target);
    }

    /** Answers the workload manager that asks for the data of its jobs. Loop thread only. */
    public DataDesk data() {
        return data;
    }
}
