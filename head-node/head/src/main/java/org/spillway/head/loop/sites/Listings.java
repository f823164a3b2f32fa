package org.spillway.head.loop.sites;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.NodeState;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Look;
import org.spillway.cloud.Lookup;
import org.spillway.cloud.fleet.Berth;
import org.spillway.cloud.fleet.FleetAction;
import org.spillway.cloud.fleet.FleetDiff;
import org.spillway.cloud.fleet.Intent;
import org.spillway.cloud.fleet.Lapse;
import org.spillway.cloud.fleet.Listing;
import org.spillway.cloud.fleet.OpenCall;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.LaunchCause.LaunchFact;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.cause.SiteCause;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.IntentRecord;
import org.spillway.head.journal.LaunchEntry;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.state.LiveNodes;
import org.spillway.head.loop.state.NodeMemory;
import org.spillway.head.loop.state.SiteState;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchRecord;

/** Asks the providers what exists and applies the difference: adopts, proves absence, ends what nobody owns. */
public final class Listings {
    private static final Logger LOG = LoggerFactory.getLogger(Listings.class);
    private static final Duration WHEN_BUSY = Duration.ofMillis(500);
    private static final Duration WHEN_STEADY = Duration.ofSeconds(5);
    private static final Duration WHEN_EMPTY = Duration.ofSeconds(30);
    /** Something may follow from the next look, or is doubted. */
    private static final Duration WHEN_UNSURE = Duration.ofSeconds(2);

    private static final Duration OFFERINGS_KEPT = Duration.ofMinutes(5);
    private static final Duration OFFERINGS_TOO_OLD = Duration.ofHours(1);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(2);

    private final World world;
    private final Sites sites;
    private final LiveNodes live;
    private final NodeMemory seen;
    private final Supplier<Instant> clock;
    /** Launches of which offering health has heard that they failed late. */
    private final Set<String> toldLate = new HashSet<>();
    /** Sites whose latest listing lacked too many at once. */
    private final Set<String> doubted = new HashSet<>();

    /** @param clock for the moment at which an effect ends; the tick's own time is for decisions */
    public Listings(World world, Sites sites, LiveNodes live, NodeMemory seen, Supplier<Instant> clock) {
        this.world = world;
        this.sites = sites;
        this.live = live;
        this.seen = seen;
        this.clock = clock;
    }

    public void advance(Instant now) {
        for (SiteState site : sites.all()) {
            offerings(site, now);
            Instant last = site.listingBegun;
            Duration pause = pause(site);
            boolean unsure = site.fleet.isPending() && pause.compareTo(WHEN_UNSURE) > 0;
            if (last == null || !now.isBefore(last.plus(unsure ? WHEN_UNSURE : pause))) {
                list(site, now);
            }
        }
    }

    private Duration pause(SiteState site) {
        boolean any = false;
        for (NodeRecord node : world.journal().liveNodes(site.plan.name())) {
            any = true;
            switch (node.nodeState()) {
                case READY, DRAINING, REQUESTED, STOPPED, REPURPOSING, RECLAIMING -> {}
                default -> {
                    return WHEN_BUSY;
                }
            }
        }
        return any ? WHEN_STEADY : WHEN_EMPTY;
    }

    private void offerings(SiteState site, Instant now) {
        Instant last = site.offeringsAt;
        boolean fresh = last != null && now.isBefore(last.plus(OFFERINGS_KEPT));
        if (!fresh && world.calls().mayAskAgain("offerings:" + site.plan.name(), now, AFTER_FAILURE)) {
            world.ports()
                    .effects()
                    .begin(
                            "offerings:" + site.plan.name(),
                            () -> site.plan.provider().compute().offerings(),
                            offerings -> {
                                site.offers(offerings);
                                site.offeringsAt = clock.get();
                                site.well();
                            },
                            failure -> {
                                if (last != null && clock.get().isAfter(last.plus(OFFERINGS_TOO_OLD))) {
                                    // Prices that nobody confirms are none to buy at.
                                    site.offers(List.of());
                                }
                                trouble(site, new SiteCause.OfferingsNotRead(said(failure)));
                            });
        }
    }

    private void list(SiteState site, Instant now) {
        String key = "list:" + site.plan.name();
        if (world.ports().effects().isUnderWay(key)) {
            return;
        }
        site.listingBegun = now;
        world.ports()
                .effects()
                .begin(
                        key,
                        () -> new Listing(now, site.plan.provider().compute().list()),
                        listing -> apply(site, listing),
                        failure -> trouble(site, new SiteCause.InstancesNotListed(said(failure))));
    }

    private static String said(Exception failure) {
        return String.valueOf(failure.getMessage());
    }

    private void trouble(SiteState site, Cause what) {
        site.trouble(what, clock.get());
        LOG.warn("site {}: {}", site.plan.name(), what.text());
    }

    private void apply(SiteState site, Listing listing) {
        Instant now = clock.get();
        site.listing = listing;
        List<Berth> berths = berths(site);
        see(site, listing, berths);
        List<OpenCall> calls = world.journal().open(site.plan.name()).stream()
                .map(intent -> new OpenCall(intent.id(), seen.unknownLaunches().since(intent.id())))
                .toList();
        FleetDiff.Diff diff = FleetDiff.of(berths, calls, listing, site.fleetRules(), site.fleet);
        site.fleet = diff.memory();
        if (diff.actions().stream().noneMatch(FleetAction.Doubt.class::isInstance)) {
            doubted.remove(site.plan.name());
            site.well();
        }
        diff.actions().forEach(action -> apply(site, action, now));
        learnAddresses(site, now);
        learnFailures(site, now);
    }

    private static void see(SiteState site, Listing listing, List<Berth> berths) {
        Set<String> owned = new HashSet<>();
        berths.forEach(berth -> owned.add(String.valueOf(berth.instance())));
        site.seesOnly(owned);
        listing.instances().forEach(site::sees);
    }

    private List<Berth> berths(SiteState site) {
        List<Berth> berths = new ArrayList<>();
        for (NodeRecord node : live.nodes(site.plan.name())) {
            if (!node.isGiven()) {
                berths.add(new Berth(node.id(), node.intent(), node.instance(), namedAt(node), expected(node)));
            }
        }
        return berths;
    }

    private static Berth.Expected expected(NodeRecord node) {
        return switch (node.nodeState()) {
            case TERMINATING -> Berth.Expected.ENDED;
            case STOPPING, STOPPED -> Berth.Expected.OFF;
            case BOOTING -> node.cause() instanceof NodeCause.PoweredOn ? Berth.Expected.OFF : Berth.Expected.RUNNING;
            default -> Berth.Expected.RUNNING;
        };
    }

    private void ask(SiteState site, List<String> instances) {
        Optional<Lookup> lookup = site.plan.provider().compute().lookup();
        String key = "look:" + site.plan.name();
        if (lookup.isEmpty() || world.ports().effects().isUnderWay(key)) {
            return;
        }
        Instant begun = clock.get();
        world.ports()
                .effects()
                .begin(
                        key,
                        () -> lookup.get().look(instances),
                        looks -> looked(site, looks, begun),
                        failure -> LOG.warn(
                                "site {}: {} could not be asked for by id: {}",
                                site.plan.name(),
                                instances,
                                failure.getMessage()));
    }

    private void looked(SiteState site, Map<String, Look> looks, Instant begun) {
        Instant now = clock.get();
        FleetDiff.Diff diff = FleetDiff.asked(berths(site), looks, begun, site.fleetRules(), site.fleet);
        site.fleet = diff.memory();
        looks.forEach((id, look) -> {
            if (look instanceof Look.Found(Instance instance)
                    && instance.state().isLive()
                    && site.fleet.lapse(id) != null) {
                LOG.warn(
                        "site {}: the listing was wrong about {}: asked for by id it is {}",
                        site.plan.name(),
                        id,
                        instance.state());
                site.sees(instance);
            }
        });
        diff.actions().forEach(action -> apply(site, action, now));
    }

    /**
     * An accepted launch that then could not be had: offering health hears of it as of a refusal, in the commit that
     * ends the nodes, so once.
     */
    private void learnFailures(SiteState site, Instant now) {
        List<Entry> batch = new ArrayList<>();
        for (NodeRecord node : live.nodes(site.plan.name())) {
            Instance instance = node.instance() == null ? null : site.seen(node.instance());
            LaunchOutcome.Refused failure = instance == null ? null : instance.failure();
            if (failure == null || !isComingUp(node.nodeState())) {
                continue;
            }
            Cause why = new NodeCause.LaunchRefused(failure.reason(), failure.message());
            LOG.warn("{}: its instance was accepted and then failed: {}", node.id(), why.text());
            batch.add(node.to(NodeState.TERMINATING, why, now));
            // A shortage counts once, however many instances it struck: each further one would double the time out.
            String told = node.intent() + "-late-" + node.offering();
            if (toldLate.add(told)) {
                batch.add(new LaunchEntry(told, new LaunchRecord(now, node.offering(), 1, failure)));
            }
        }
        world.journal().commit(now, batch);
    }

    private static boolean isComingUp(NodeState state) {
        return switch (state) {
            case BOOTING, PROVISIONING, JOINING -> true;
            default -> false;
        };
    }

    /** A head that starts again knows only that it was named before that. */
    private Instant namedAt(NodeRecord node) {
        Instant since = node.nodeState() == NodeState.BOOTING ? node.since() : node.costFrom();
        return since == null ? world.startedAt() : since;
    }

    private void apply(SiteState site, FleetAction action, Instant now) {
        switch (action) {
            case FleetAction.Adopt(String node, Instance instance) ->
                world.journal().node(node).ifPresent(found -> {
                    LOG.info("instance {} is {}'s: its launch answer was lost", instance.id(), node);
                    world.journal().commit(
                            now, sites.named(found, instance).to(NodeState.BOOTING, NodeFact.ADOPTED, now));
                });
            case FleetAction.End(Instance instance, FleetAction.Stray why) -> end(site, instance, said(why), now);
            case FleetAction.Noticed(Instance instance, FleetAction.Stray why) ->
                LOG.warn(
                        "instance {} of site {} is not ended before it is seen again: {}",
                        instance.id(),
                        site.plan.name(),
                        said(why));
            case FleetAction.Ask(List<String> instances) -> ask(site, instances);
            case FleetAction.Doubt(int missing, int lived) -> doubt(site, missing, lived, now);
            case FleetAction.Absent(String intent) ->
                world.journal().intent(intent).ifPresent(open -> absent(open, now));
            case FleetAction.Gone(String node, Lapse proof) -> {
                LOG.info("{}: its instance is gone: {}", node, proof);
                seen.sights().gone(node);
            }
        }
    }

    private static String said(FleetAction.Stray why) {
        return switch (why.kind()) {
            case NOBODYS -> "no node of this cluster owns it";
            case TWIN -> "a twin: every node of its intent has an instance";
            case DECLARED_GONE -> "it was " + why.node() + "'s, which was declared gone, and appears again";
        };
    }

    private void doubt(SiteState site, int missing, int lived, Instant now) {
        Cause what = new SiteCause.ListingDoubted(missing, lived);
        if (doubted.add(site.plan.name())) {
            LOG.warn("site {}: {}", site.plan.name(), what.text());
        }
        site.trouble(what, now);
    }

    private void end(SiteState site, Instance instance, String reason, Instant now) {
        String key = "end:" + instance.id();
        if (world.calls().mayAskAgain(key, now, AFTER_FAILURE)) {
            LOG.warn("ending instance {} of site {}: {}", instance.id(), site.plan.name(), reason);
            world.ports()
                    .effects()
                    .begin(
                            key,
                            () -> {
                                site.plan.provider().compute().terminate(List.of(instance.id()));
                                return true;
                            },
                            done -> {},
                            failure -> trouble(site, new SiteCause.UnownedNotEnded(said(failure))));
        }
    }

    private void absent(Intent open, Instant now) {
        List<Entry> batch = new ArrayList<>();
        boolean any = false;
        for (NodeRecord node : world.journal().liveNodesUnder(open.id())) {
            if (node.instance() == null) {
                batch.add(node.withCostFrom(now).to(NodeState.FAILED, NodeFact.NO_INSTANCE, now));
            } else {
                any = true;
            }
        }
        batch.add(new IntentRecord(
                new Intent(
                        open.request(),
                        any ? Intent.State.SETTLED : Intent.State.REFUSED,
                        open.calledAt(),
                        open.instanceIds(),
                        open.createdAt()),
                LaunchFact.ANSWER_LOST));
        world.journal().commit(now, batch);
        seen.unknownLaunches().settled(open.id());
    }

    private void learnAddresses(SiteState site, Instant now) {
        for (NodeRecord node : live.nodes(site.plan.name())) {
            Instance instance = node.instance() == null ? null : site.seen(node.instance());
            // A public one comes later than the first, and changes when an instance was stopped.
            if (instance != null
                    && !instance.address().isEmpty()
                    && !(instance.address().equals(node.address())
                            && instance.inside().equals(node.inside()))) {
                world.journal().commit(
                        now,
                        node.withInstance(instance.id(), instance.address(), instance.sshPort(), instance.inside()));
            }
        }
    }
}
