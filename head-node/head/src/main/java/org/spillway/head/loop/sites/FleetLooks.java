package org.spillway.head.loop.sites;

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
import org.spillway.cloud.fleet.FleetMemory;
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
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.state.LiveNodes;
import org.spillway.head.loop.state.NodeMemory;
import org.spillway.head.loop.state.SiteState;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;

/**
 * Applies what {@link FleetDiff} makes of listings and of answers by id: adopts, asks, doubts, proves absence, ends what
 * nobody owns.
 */
final class FleetLooks {
    private static final Logger LOG = LoggerFactory.getLogger(FleetLooks.class);
    private final World world;
    private final Sites sites;
    private final LiveNodes live;
    private final NodeMemory seen;
    private final Supplier<Instant> clock;
    /** Sites whose latest listing lacked too many at once. */
    private final Set<String> doubted = new HashSet<>();

    FleetLooks(World world, Sites sites, LiveNodes live, NodeMemory seen, Supplier<Instant> clock) {
        this.world = world;
        this.sites = sites;
        this.live = live;
        this.seen = seen;
        this.clock = clock;
    }

    /** A whole listing has come. */
    void listed(SiteState site, Listing listing, Instant now) {
        List<Berth> berths = berths(site);
        see(site, listing, berths);
        List<OpenCall> calls = world.journal().open(site.plan.name()).stream()
                .map(intent -> new OpenCall(
                        intent.id(),
                        seen.unknownLaunches().since(intent.id()),
                        intent.request().tags().getOrDefault(Instance.TAG_STATE, "")))
                .toList();
        FleetDiff.Diff diff = FleetDiff.of(berths, calls, listing, site.fleetRules(), site.fleet);
        site.fleet = diff.memory();
        if (diff.actions().stream().noneMatch(FleetAction.Doubt.class::isInstance)) {
            doubted.remove(site.plan.name());
            site.well();
        }
        diff.actions().forEach(action -> apply(site, action, now));
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
        FleetMemory before = site.fleet;
        FleetDiff.Diff diff = FleetDiff.asked(berths(site), looks, begun, site.fleetRules(), site.fleet);
        site.fleet = diff.memory();
        looks.forEach((id, look) -> {
            if (look instanceof Look.Found(Instance instance) && site.fleet.isRefuted(id)) {
                site.sees(instance);
                if (!before.isRefuted(id)) {
                    LOG.warn(
                            "site {}: the listing is wrong about {}: asked for by id it is {}",
                            site.plan.name(),
                            id,
                            instance.state());
                }
            }
        });
        diff.actions().forEach(action -> apply(site, action, now));
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
                    world.journal()
                            .commit(now, sites.named(found, instance).to(NodeState.BOOTING, NodeFact.ADOPTED, now));
                });
            case FleetAction.End(Instance instance, FleetAction.Stray why) -> {
                if (!sites.unknowns().keeps(site.plan.name(), instance)) {
                    end(site, instance, said(why), now);
                }
            }
            case FleetAction.Noticed(Instance instance, FleetAction.Stray why) ->
                LOG.warn(
                        sites.unknowns().keeps(site.plan.name(), instance)
                                ? "instance {} of site {} is kept: what it is for is not known ('spillway recover'): {}"
                                : "instance {} of site {} is not ended before it is seen again: {}",
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
        if (!world.ports().effects().isUnderWay(key) && site.unended.mayAsk(instance.id(), now)) {
            LOG.warn("ending instance {} of site {}: {}", instance.id(), site.plan.name(), reason);
            world.ports()
                    .effects()
                    .begin(
                            key,
                            () -> {
                                site.plan.provider().compute().terminate(List.of(instance.id()));
                                return true;
                            },
                            done -> site.unended.accepted(instance.id()),
                            failure -> notEnded(site, instance, failure));
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

    private void notEnded(SiteState site, Instance instance, Exception failure) {
        site.unended.refused(instance.id(), Listings.said(failure), clock.get());
        Cause what = new SiteCause.UnownedNotEnded(Listings.said(failure));
        site.trouble(what, clock.get());
        LOG.warn("site {}: {}", site.plan.name(), what.text());
    }
}
