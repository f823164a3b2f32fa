package org.spillway.head.loop.nodes;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.launches.Launches;
import org.spillway.head.loop.money.Spending;
import org.spillway.head.loop.settings.StandingCapacity;
import org.spillway.head.loop.state.LiveNodes;
import org.spillway.head.loop.state.NodeMemory;
import org.spillway.head.loop.state.Offers;
import org.spillway.head.loop.state.Purse;
import org.spillway.head.loop.state.SiteState;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.scaler.plan.OfferingHealth;

/**
 * Nodes that are always there ({@code keep} of a site), and the money of all nodes that live longer than their jobs: a
 * stretch is reserved ahead, and one for which the budget has no room any more is ended when nothing runs on it.
 */
public final class StandingSupply {
    private static final Logger LOG = LoggerFactory.getLogger(StandingSupply.class);
    private static final Duration STRETCH = Duration.ofMinutes(5);
    private static final Duration BETWEEN_LAUNCHES = Duration.ofSeconds(5);

    private final World world;
    private final Sites sites;
    private final LiveNodes live;
    private final Offers offers;
    private final Purse purse;
    private final NodeMemory seen;
    private final Launches launches;

    public StandingSupply(
            World world, Sites sites, LiveNodes live, Offers offers, Purse purse, NodeMemory seen, Launches launches) {
        this.world = world;
        this.sites = sites;
        this.live = live;
        this.offers = offers;
        this.purse = purse;
        this.seen = seen;
        this.launches = launches;
    }

    public void advance(Instant now) {
        for (SiteState site : sites.all()) {
            if (!world.settings().planning().dryRun()
                    && site.unusable().isNone()
                    && sites.addressedDirector(site.plan.name()).isPresent()) {
                site.plan.nodes().standing().forEach(capacity -> launchMissing(site, capacity, now));
            }
        }
        for (NodeRecord node : live.nodes()) {
            if (!node.isDirector() && outlivesJobs(node)) {
                reserve(node, now);
            }
        }
    }

    private boolean outlivesJobs(NodeRecord node) {
        return switch (node.nodeState()) {
            // A kept one, or one that waits for the rest of its gang.
            case READY -> true;
            case DRAINING -> node.care().parked();
            case STOPPING, STOPPED -> true;
            default -> false;
        };
    }

    private void launchMissing(SiteState site, StandingCapacity capacity, Instant now) {
        int missing = capacity.count() - live.standingOf(site.plan, capacity).size();
        int exist = live.count(site.plan.name());
        int count = Math.min(missing, offers.most(site.plan) - exist);
        if (count <= 0) {
            return;
        }
        Map<OfferingId, OfferingStatus> statuses =
                offers
                        .cautious(
                                OfferingHealth.fold(
                                        world.journal().launches(),
                                        now,
                                        seen.bootTimes().all()),
                                now)
                        .stream()
                        .collect(Collectors.toMap(OfferingStatus::id, Function.identity()));
        Optional<Offering> cheapest = offers.offerings(site).stream()
                .filter(one -> one.id().instanceType().equals(capacity.type()))
                .filter(one -> world.settings()
                        .markets()
                        .serveAll(site.plan.name(), one.id().market()))
                .filter(one -> isHealthy(statuses.get(one.id()), now) && !offers.isShut(one.id(), now))
                .min(Offering.CHEAPEST_FIRST);
        if (cheapest.isEmpty()) {
            return;
        }
        Offering offering = cheapest.get();
        OfferingStatus status = statuses.get(offering.id());
        int room = Math.min(count, offers.room(offering));
        int most = status == null ? room : Math.min(room, status.launchBudget());
        Duration committedFor = purse.reservation(site.plan, STRETCH);
        Money each = offering.pricePerHour().perHourFor(committedFor);
        while (most > 0 && each.times(most).isMoreThan(purse.left(now))) {
            most--;
        }
        if (most > 0
                && world.calls()
                        .mayAskAgain("keep:" + site.plan.name() + "/" + capacity.type(), now, BETWEEN_LAUNCHES)) {
            Cause why = new NodeCause.StandingWanted(site.plan.name(), capacity.count(), capacity.type());
            launches.decide(site, offering, most, NodeRecord.Role.NODE, committedFor, why, now);
        }
    }

    private static boolean isHealthy(@org.jspecify.annotations.Nullable OfferingStatus status, Instant now) {
        return status == null || status.mayLaunchAt(now);
    }

    private void reserve(NodeRecord node, Instant now) {
        Instant from = node.costFrom();
        if (from == null
                || now.isBefore(from.plus(node.committedFor())
                        .minus(world.settings().spending().endingAllowance()))) {
            return;
        }
        Duration until = Duration.between(from, now)
                .plus(world.settings().spending().endingAllowance())
                .plus(STRETCH);
        NodeRecord longer = node.withCommittedFor(until);
        Instant period = world.settings().spending().periodStart(now);
        Money more = Spending.of(longer, period, now).minus(Spending.of(node, period, now));
        if (!more.isMoreThan(purse.left(now))) {
            world.journal().commit(now, longer);
        } else if (live.runningOn(node.id()).isEmpty()) {
            LOG.warn("{}: {}", node.id(), NodeFact.OVER_BUDGET.text());
            NodeRecord given = node.withCare(NodeRecord.Care.NONE);
            if (node.nodeState() == NodeState.READY) {
                world.ports().workload().nodes().drain(node.id(), NodeFact.OVER_BUDGET.text());
                world.journal().commit(now, given.to(NodeState.DRAINING, NodeFact.OVER_BUDGET, now));
            } else {
                world.journal().commit(now, given.to(NodeState.TERMINATING, NodeFact.OVER_BUDGET, now));
            }
        }
    }
}
