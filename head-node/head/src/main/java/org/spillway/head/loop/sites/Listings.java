package org.spillway.head.loop.sites;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.NodeState;
import org.spillway.cloud.Instance;
import org.spillway.cloud.fleet.Listing;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.LaunchText;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.SiteCause;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.LaunchEntry;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.settings.SitePlan;
import org.spillway.head.loop.state.LiveNodes;
import org.spillway.head.loop.state.NodeMemory;
import org.spillway.head.loop.state.SiteState;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchRecord;

/** Asks the providers what exists, how often, and learns prices, addresses and late failures from it. */
public final class Listings {
    private static final Logger LOG = LoggerFactory.getLogger(Listings.class);
    private static final Duration OFFERINGS_KEPT = Duration.ofMinutes(5);
    private static final Duration OFFERINGS_TOO_OLD = Duration.ofHours(1);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(2);
    private static final int MOST_FAILURES = 1000;

    private final World world;
    private final Sites sites;
    private final LiveNodes live;
    private final Supplier<Instant> clock;
    /** Launches of which offering health has heard that they failed late. */
    private final Set<String> toldLate = new HashSet<>();

    private final FleetLooks fleet;
    private final Recovering recovering;

    /** @param clock for the moment at which an effect ends; the tick's own time is for decisions */
    public Listings(World world, Sites sites, LiveNodes live, NodeMemory seen, Supplier<Instant> clock) {
        this.world = world;
        this.sites = sites;
        this.live = live;
        this.clock = clock;
        this.fleet = new FleetLooks(world, sites, live, seen, clock);
        this.recovering = new Recovering(world, sites);
    }

    /** Machines that the journal does not know. */
    public Recovering recovering() {
        return recovering;
    }

    public void advance(Instant now) {
        recovering.advance(now);
        for (SiteState site : sites.all()) {
            offerings(site, now);
            Instant last = site.listingBegun;
            ListingPace.Expected expected = expected(site);
            boolean slow = expected == ListingPace.Expected.NOTHING || expected == ListingPace.Expected.NO_MACHINE;
            if (slow && site.fleet.isPending() && !sites.unknowns().isAny(site.plan.name())) {
                expected = ListingPace.Expected.PROOF;
            }
            Duration pause = ListingPace.pause(
                    expected, site.plan.provider().calls().limits(), site.callsOfListing, site.failedListings);
            if (last == null || !now.isBefore(last.plus(pause))) {
                list(site, now);
            }
        }
    }

    private ListingPace.Expected expected(SiteState site) {
        boolean any = false;
        for (NodeRecord node : world.journal().liveNodes(site.plan.name())) {
            any = true;
            switch (node.nodeState()) {
                case READY, DRAINING, REQUESTED, STOPPED, REPURPOSING, RECLAIMING -> {}
                // Whoever joins has been seen to run: its director tells what comes of it.
                case JOINING, PROVISIONING -> {
                    if (!site.plan.provider().calls().limits().countsListings()) {
                        return ListingPace.Expected.CHANGE;
                    }
                }
                default -> {
                    return ListingPace.Expected.CHANGE;
                }
            }
        }
        return any ? ListingPace.Expected.NOTHING : ListingPace.Expected.NO_MACHINE;
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
                        () -> {
                            SitePlan.Calls calls = site.plan.provider().calls();
                            long before = calls.reads();
                            Listing listing = new Listing(
                                    now, site.plan.provider().compute().list());
                            return new Counted(listing, Math.max(1, calls.reads() - before));
                        },
                        counted -> {
                            site.failedListings = 0;
                            site.callsOfListing = counted.calls();
                            apply(site, counted.listing());
                        },
                        failure -> {
                            site.failedListings = Math.min(site.failedListings, MOST_FAILURES) + 1;
                            trouble(site, new SiteCause.InstancesNotListed(said(failure)));
                        });
    }

    /** @param calls that it was made of; what was sent meanwhile for something else is among them */
    private record Counted(Listing listing, long calls) {}

    static String said(Exception failure) {
        return String.valueOf(failure.getMessage());
    }

    private void trouble(SiteState site, Cause what) {
        // A trouble that is said again and again is no news.
        if (!what.equals(site.trouble)) {
            LOG.warn("site {}: {}", site.plan.name(), what.text());
        }
        site.trouble(what, clock.get());
    }

    private void apply(SiteState site, Listing listing) {
        Instant now = clock.get();
        site.listing = listing;
        fleet.listed(site, listing, now);
        sites.unknowns().see(site);
        recovering.listed(site, now);
        twin(site);
        learnAddresses(site, now);
        learnFailures(site, now);
    }

    /** Whether another head of this state buys here. Nothing is bought at that, and nothing of its machines is ended. */
    private void twin(SiteState site) {
        Cause before = site.twin;
        site.twin = sites.unknowns().twin(site.plan.name());
        if (!site.twin.isNone() && !site.twin.equals(before)) {
            LOG.warn("site {}: {}", site.plan.name(), site.twin.text());
        } else if (site.twin.isNone() && !before.isNone()) {
            LOG.info("site {}: no machine tells of another head of this state", site.plan.name());
        }
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
                LaunchRecord record = new LaunchRecord(now, node.offering(), 1, failure);
                LaunchText.lines(node.intent(), List.of(record)).forEach(line -> LOG.warn("{}", line));
                batch.add(new LaunchEntry(told, record));
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

    private void learnAddresses(SiteState site, Instant now) {
        for (NodeRecord node : live.nodes(site.plan.name())) {
            Instance instance = node.instance() == null ? null : site.seen(node.instance());
            // A public one comes later than the first, and changes when an instance was stopped.
            if (instance != null
                    && !instance.address().isEmpty()
                    && !(instance.address().equals(node.address())
                            && instance.inside().equals(node.inside()))) {
                world.journal()
                        .commit(
                                now,
                                node.withInstance(
                                        instance.id(), instance.address(), instance.sshPort(), instance.inside()));
            }
        }
    }
}
