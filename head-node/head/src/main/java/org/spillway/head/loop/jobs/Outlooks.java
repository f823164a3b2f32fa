package org.spillway.head.loop.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.SiteCause;
import org.spillway.head.cause.SiteCause.SiteFact;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.state.JobMemory;
import org.spillway.head.loop.state.LiveNodes;
import org.spillway.head.loop.state.NodeMemory;
import org.spillway.head.loop.state.Offers;
import org.spillway.head.loop.state.Purse;
import org.spillway.head.loop.state.SiteState;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.head.placement.SiteOutlook;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.policy.Resources;
import org.spillway.scaler.plan.OfferingHealth;

/** The journal and what was seen of the sites, as placement wants to see it. */
public final class Outlooks {
    /** A fault that is younger may be over with the next call. */
    private static final Duration TROUBLE_LASTS = Duration.ofSeconds(10);

    private final World world;
    private final Sites sites;
    private final LiveNodes live;
    private final Offers offers;
    private final Purse purse;
    private final JobMemory memory;
    private final NodeMemory seen;

    Outlooks(World world, Sites sites, LiveNodes live, Offers offers, Purse purse, JobMemory memory, NodeMemory seen) {
        this.world = world;
        this.sites = sites;
        this.live = live;
        this.offers = offers;
        this.purse = purse;
        this.memory = memory;
        this.seen = seen;
    }

    List<SiteOutlook> of(Instant now) {
        Map<OfferingId, OfferingStatus> statuses =
                OfferingHealth.fold(
                                world.journal().launches(),
                                now,
                                seen.bootTimes().all())
                        .stream()
                        .collect(Collectors.toMap(
                                OfferingStatus::id, Function.identity(), (one, same) -> one, HashMap::new));
        Map<OfferingId, Cause> full = keepBack(statuses, now);
        Map<String, Resources> used = new HashMap<>();
        Map<String, Instant> freeAt = new HashMap<>();
        for (JobRecord job : world.journal().jobs(JobState.RUNNING)) {
            use(job, used, freeAt);
        }
        Collection<NodeRecord> nodes = live.nodes();
        List<SiteOutlook> outlooks = new ArrayList<>();
        for (SiteState site : sites.all()) {
            List<SiteOutlook.NodeRoom> rooms = new ArrayList<>();
            int exist = 0;
            for (NodeRecord node : nodes) {
                if (!node.isDirector() && node.site().equals(site.plan.name())) {
                    // A node that can be started is as good as room for another.
                    exist += node.nodeState() == NodeState.STOPPED && live.stops(node) ? 0 : 1;
                    if (takesJobs(node.nodeState())) {
                        rooms.add(room(
                                node,
                                used.getOrDefault(node.id(), Resources.NONE),
                                freeAt.getOrDefault(node.id(), now),
                                statuses,
                                now));
                    }
                }
            }
            outlooks.add(outlook(site, rooms, exist, new Health(statuses, full), now));
        }
        return outlooks;
    }

    /** Whether offerings can be bought. @param full those whose quota has no room */
    private record Health(Map<OfferingId, OfferingStatus> statuses, Map<OfferingId, Cause> full) {}

    /** An offering whose limit or quota permits no more cannot be bought there, and jobs go elsewhere. @return the quotas */
    private Map<OfferingId, Cause> keepBack(Map<OfferingId, OfferingStatus> statuses, Instant now) {
        List<Offering> offerings =
                sites.all().stream().flatMap(site -> site.offerings().stream()).toList();
        Map<OfferingId, Cause> full = purse.capping().full(offerings);
        full.forEach((id, why) -> shut(statuses, id, "is kept back: " + why.text()));
        purse.capping().shut(offerings, now).forEach((offering, why) -> shut(statuses, offering.id(), why));
        return full;
    }

    private void shut(Map<OfferingId, OfferingStatus> statuses, OfferingId id, String why) {
        statuses.put(id, new OfferingStatus(id, null, 0, seen.bootTimes().of(id), why, 0));
    }

    private void use(JobRecord job, Map<String, Resources> used, Map<String, Instant> freeAt) {
        Instant end = job.since().plus(job.spec().walltime());
        for (JobRun.Rank rank : job.run().ranks()) {
            if (!rank.isOver()) {
                used.merge(rank.node(), live.taken(job, rank.node()), Resources::plus);
                freeAt.merge(rank.node(), end, (a, b) -> a.isAfter(b) ? a : b);
            }
        }
    }

    private static boolean takesJobs(NodeState state) {
        return switch (state) {
            case REQUESTED, LAUNCHING, BOOTING, PROVISIONING, JOINING, READY, REPURPOSING -> true;
            case DRAINING, STOPPING, STOPPED, TERMINATING, TERMINATED, UNREACHABLE, RECLAIMING, FAILED -> false;
        };
    }

    private static SiteOutlook.NodeRoom room(
            NodeRecord node, Resources used, Instant freeAt, Map<OfferingId, OfferingStatus> statuses, Instant now) {
        OfferingStatus status = statuses.get(node.offering());
        Duration boot = status == null ? OfferingHealth.DEFAULT_BOOT : status.bootEstimate();
        Instant from = node.costFrom() == null ? node.since() : node.costFrom();
        Instant ready = node.nodeState() == NodeState.READY ? now : arrives(from, boot, now);
        OfferingId id = node.offering();
        return new SiteOutlook.NodeRoom(
                node.id(),
                id.zone() + "/" + id.instanceType() + "/" + id.market(),
                node.resources(),
                LiveNodes.without(node.resources(), used),
                node.pricePerHour(),
                ready,
                freeAt.isBefore(ready) ? ready : freeAt);
    }

    /** A node that is late has not arrived: it is expected after a tenth of a boot more, never now. */
    static Instant arrives(Instant from, Duration boot, Instant now) {
        Instant soonest = now.plus(boot.dividedBy(10).plusSeconds(1));
        return from.plus(boot).isBefore(soonest) ? soonest : from.plus(boot);
    }

    private SiteOutlook outlook(
            SiteState site, List<SiteOutlook.NodeRoom> rooms, int exist, Health health, Instant now) {
        String name = site.plan.name();
        return new SiteOutlook(
                name,
                site.plan.home(),
                trouble(site, now),
                site.plan.priority(),
                new SiteOutlook.Supply(
                        rooms,
                        offers.offerings(site),
                        health.statuses(),
                        health.full(),
                        offers.most(site.plan) - exist),
                new SiteOutlook.Waits(
                        directorWait(site, now),
                        OfferingHealth.DEFAULT_BOOT,
                        memory.transfers().bytesPerSecond(name)),
                new SiteOutlook.Prices(
                        sites.director(name).isPresent() ? Money.ZERO : directorReserve(site),
                        purse.reservation(site.plan, Duration.ZERO),
                        site.plan.egressPerGigabyte()));
    }

    private Cause trouble(SiteState site, Instant now) {
        if (!site.unusable().isNone()) {
            return site.unusable();
        }
        if (site.offerings().isEmpty()) {
            return site.trouble.or(SiteFact.OFFERINGS_UNSAID);
        }
        if (isShut(site.directorObstacle) && sites.director(site.plan.name()).isEmpty()) {
            return site.directorObstacle;
        }
        Instant sick = site.sickUntil;
        if (sick != null && now.isBefore(sick)) {
            return new SiteCause.DirectorNotUp(site.directorTrouble.or(site.trouble));
        }
        Instant since = site.troubleSince;
        return since != null && !now.isBefore(since.plus(TROUBLE_LASTS)) ? site.trouble : Cause.NONE;
    }

    /** Whether it has no director for a while; a short pause is waited for. */
    private static boolean isShut(Cause obstacle) {
        return obstacle instanceof SiteCause.DirectorShut
                || obstacle instanceof SiteCause.DirectorTrialsSpent
                || obstacle instanceof SiteCause.DirectorRefused;
    }

    private static Money directorReserve(SiteState site) {
        return site.directorOffering()
                .map(Offering::pricePerHour)
                .map(price -> price.perHourFor(SiteState.FIRST_COMMITMENT))
                .orElse(Money.ZERO);
    }

    private Duration directorWait(SiteState site, Instant now) {
        if (sites.store(site) != null) {
            return Duration.ZERO;
        }
        Instant from = sites.director(site.plan.name())
                .map(director -> director.costFrom() == null ? director.since() : director.costFrom())
                .orElse(now);
        Duration rest = site.directorBoot.minus(Duration.between(from, now));
        return rest.isNegative() ? Duration.ZERO : rest;
    }
}
