package org.spillway.head.loop.supply;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.PlaceCause;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.Holders;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.Purchase;
import org.spillway.head.loop.launches.LaunchDecision;
import org.spillway.head.loop.launches.Launches;
import org.spillway.head.loop.settings.Roles;
import org.spillway.head.loop.state.Capping;
import org.spillway.head.loop.state.LiveNodes;
import org.spillway.head.loop.state.Offers;
import org.spillway.head.loop.state.Purse;
import org.spillway.head.loop.state.SiteState;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;

/** The journal, and what was seen of the sites, as the steps of a plan ask for them. */
final class JournalGround implements PlanGround {
    private final World world;
    private final Sites sites;
    private final LiveNodes live;
    private final Offers offers;
    private final Purse purse;
    private final Launches launches;
    private final Instant now;

    JournalGround(
            World world, Sites sites, LiveNodes live, Offers offers, Purse purse, Launches launches, Instant now) {
        this.world = world;
        this.sites = sites;
        this.live = live;
        this.offers = offers;
        this.purse = purse;
        this.launches = launches;
        this.now = now;
    }

    @Override
    public Roles roles() {
        return world.settings().roles();
    }

    @Override
    public Instant periodStart() {
        return world.settings().spending().periodStart(now);
    }

    @Override
    public Money budgetLeft() {
        return purse.left(now);
    }

    @Override
    public Optional<NodeRecord> node(String id) {
        return world.journal().node(id);
    }

    @Override
    public boolean isFree(NodeRecord node) {
        return live.isFree(node);
    }

    @Override
    public boolean stops(NodeRecord node) {
        return live.stops(node);
    }

    @Override
    public Optional<Offering> offering(OfferingId id) {
        return sites.of(id.site()).offerings().stream()
                .filter(one -> one.id().equals(id))
                .findFirst();
    }

    @Override
    public Cause siteObstacle(String site) {
        SiteState state = sites.of(site);
        return state.unusable().isNone() ? Cause.NONE : new PlaceCause.SiteUnusable(site, state.unusable());
    }

    @Override
    public int slots(Offering offering) {
        return offers.room(offering);
    }

    @Override
    public String manager() {
        return world.ports().workload().name();
    }

    @Override
    public Duration reservation(String site, Duration walltime) {
        return purse.reservation(sites.of(site).plan, walltime);
    }

    @Override
    public Holders holders(Collection<JobRecord> jobs) {
        return purse.capping().holders(jobs);
    }

    @Override
    public Capping.Room room(Holders holders, Offering offering, Money each, Collection<NodeRecord> planned) {
        return purse.capping().room(holders, offering, each, planned, now);
    }

    @Override
    public Optional<Cause> quota(String bound) {
        return purse.capping().quota(bound);
    }

    @Override
    public List<Entry> purchase(Purchase purchase) {
        SiteState site = sites.of(purchase.offering().id().site());
        return launches.decision(
                site,
                purchase.offering(),
                purchase.count(),
                NodeRecord.Role.NODE,
                purchase.committedFor(),
                purchase.why(),
                new Launches.Terms(
                        "",
                        LaunchDecision.Where.of(purchase.fabricGroup(), purchase.behind()),
                        purchase.holders(),
                        purchase.profile()),
                now);
    }
}
