package org.spillway.head.loop.supply;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.PlaceCause;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.launches.Launches;
import org.spillway.head.loop.settings.Roles;
import org.spillway.head.loop.state.Capping;
import org.spillway.head.loop.state.Context;
import org.spillway.head.loop.state.SiteState;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;

/** The journal, and what was seen of the sites, as the steps of a plan ask for them. */
final class JournalGround implements PlanGround {
    private final Context context;
    private final Launches launches;
    private final Instant now;

    JournalGround(Context context, Launches launches, Instant now) {
        this.context = context;
        this.launches = launches;
        this.now = now;
    }

    @Override
    public Roles roles() {
        return context.settings.roles();
    }

    @Override
    public Instant periodStart() {
        return context.settings.spending().periodStart(now);
    }

    @Override
    public Money budgetLeft() {
        return context.budgetLeft(now);
    }

    @Override
    public Optional<NodeRecord> node(String id) {
        return context.journal.node(id);
    }

    @Override
    public boolean isFree(NodeRecord node) {
        return context.isFree(node);
    }

    @Override
    public boolean stops(NodeRecord node) {
        return context.stops(node);
    }

    @Override
    public Optional<Offering> offering(OfferingId id) {
        return context.site(id.site()).offerings.stream()
                .filter(one -> one.id().equals(id))
                .findFirst();
    }

    @Override
    public Cause siteObstacle(String site) {
        SiteState state = context.site(site);
        return state.unusable().isNone() ? Cause.NONE : new PlaceCause.SiteUnusable(site, state.unusable());
    }

    @Override
    public int slots(Offering offering) {
        return context.room(offering);
    }

    @Override
    public String manager() {
        return context.ports.workload().name();
    }

    @Override
    public Duration reservation(String site, Duration walltime) {
        return context.nodeReservation(context.site(site).plan, walltime);
    }

    @Override
    public NodeRecord.Holders holders(Collection<JobRecord> jobs) {
        return context.capping.holders(jobs);
    }

    @Override
    public Capping.Room room(
            NodeRecord.Holders holders, Offering offering, Money each, Collection<NodeRecord> planned) {
        return context.capping.room(holders, offering, each, planned, now);
    }

    @Override
    public List<Entry> purchase(Purchase purchase) {
        return launches.decision(
                context.site(purchase.offering().id().site()),
                purchase.offering(),
                purchase.count(),
                NodeRecord.Role.NODE,
                purchase.committedFor(),
                purchase.why(),
                new Launches.Terms("", purchase.fabricGroup(), purchase.holders(), purchase.profile()),
                now);
    }
}
