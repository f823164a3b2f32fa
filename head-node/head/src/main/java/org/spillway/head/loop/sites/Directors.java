package org.spillway.head.loop.sites;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Report;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.cause.SiteCause;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.Purchase;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.LinkDownException;
import org.spillway.head.loop.foreign.ForeignJobs;
import org.spillway.head.loop.launches.Launches;
import org.spillway.head.loop.settings.SitePlan;
import org.spillway.head.loop.state.LiveNodes;
import org.spillway.head.loop.state.NodeMemory;
import org.spillway.head.loop.state.Purse;
import org.spillway.head.loop.state.SiteState;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.head.loop.waits.WaitFinding;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.ScheduleWindow;

/** Keeps a director where one is needed, tells it what should be, and hears what is. */
public final class Directors {
    private static final Logger LOG = LoggerFactory.getLogger(Directors.class);
    private static final Duration WHEN_BUSY = Duration.ofMillis(100);
    private static final Duration WHEN_STEADY = Duration.ofSeconds(1);
    private static final Duration WHEN_IDLE = Duration.ofSeconds(2);
    /** With the link's own answer time it is less than the margin of a lease. */
    private static final Duration FRESH = Duration.ofSeconds(5);

    private static final Duration BETWEEN_INSTALLS = Duration.ofSeconds(2);
    private static final Duration NEXT_COMMITMENT = Duration.ofMinutes(5);
    /** How long jobs that may go elsewhere wait for a director to come up, at least. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** How long they avoid a site whose director did not; then it is tried again. */
    private static final Duration SICK_FOR = Duration.ofMinutes(5);

    private final World world;
    private final Sites sites;
    private final LiveNodes live;
    private final Purse purse;
    private final NodeMemory seen;
    private final Launches launches;
    private final Supplier<Instant> clock;
    private final Directives directives;
    private final Replicating replicating;

    public Directors(
            World world,
            Sites sites,
            LiveNodes live,
            Purse purse,
            NodeMemory seen,
            ForeignJobs foreign,
            Launches launches,
            Supplier<Instant> clock) {
        this.world = world;
        this.sites = sites;
        this.live = live;
        this.purse = purse;
        this.seen = seen;
        this.launches = launches;
        this.clock = clock;
        this.replicating = new Replicating(world);
        this.directives = new Directives(world, sites, live, foreign);
    }

    /**
     * @param releasing nothing is bought, and what is not needed for results goes
     * @return all that was found out about why jobs wait
     */
    public List<WaitFinding> advance(Instant now, boolean releasing) {
        List<WaitFinding> found = new ArrayList<>();
        for (SiteState site : sites.all()) {
            boolean needed = releasing ? holdsResults(site.plan.name()) : isNeeded(site, now);
            Optional<NodeRecord> director = sites.director(site.plan.name());
            judge(site, needed, now);
            if (director.isEmpty()) {
                if (site.reportFrom != null || site.installed != null) {
                    site.forgetDirector();
                    world.ports().link().forget(site.plan.name());
                }
                if (needed && !releasing) {
                    buy(site, now);
                }
            } else {
                reserve(site, director.get(), now);
                world.journal().node(director.get().id()).ifPresent(current -> {
                    idle(site, current, needed || sites.unknowns().isAny(site.plan.name()), releasing, now);
                    keep(site, current, found, now);
                });
            }
        }
        return found;
    }

    /** Results are on their way home, or nodes still end: a director that goes now would take them with it. */
    private boolean holdsResults(String site) {
        boolean results = world.journal().jobs(JobState.STAGING_OUT).stream()
                .anyMatch(job -> job.run().site().equals(site) && !job.run().home());
        return results || hasNodes(site);
    }

    private boolean hasNodes(String site) {
        return world.journal().liveNodes(site).stream().anyMatch(node -> !node.isDirector());
    }

    /** A director's price is reserved a stretch ahead; when the budget has no room for the next, its site ends. */
    private void reserve(SiteState site, NodeRecord director, Instant now) {
        Instant from = director.costFrom();
        if (from == null
                || now.isBefore(from.plus(director.committedFor())
                        .minus(world.settings().spending().endingAllowance()))) {
            return;
        }
        Money more = director.pricePerHour().perHourFor(NEXT_COMMITMENT);
        if (!more.isMoreThan(purse.left(now))) {
            world.journal()
                    .commit(
                            now,
                            director.withCommittedFor(director.committedFor().plus(NEXT_COMMITMENT)));
        } else if (director.nodeState() == NodeState.READY && !holdsResults(site.plan.name())) {
            world.journal().commit(now, director.to(NodeState.DRAINING, NodeFact.OVER_BUDGET, now));
        }
    }

    /** A director that is needed and does not serve for too long makes its site sick for a while. */
    private void judge(SiteState site, boolean needed, Instant now) {
        Instant heard = site.syncedAt;
        boolean serves = sites.store(site) != null && heard != null && now.isBefore(heard.plus(PATIENCE));
        if (serves) {
            site.directorMissingSince = null;
            site.sickUntil = null;
        } else if (!needed) {
            site.directorMissingSince = null;
        } else if (site.directorMissingSince == null) {
            site.directorMissingSince = heard == null ? now : heard;
        }
        Duration patience = max(PATIENCE, site.directorBoot.multipliedBy(2));
        Instant since = site.directorMissingSince;
        if (since != null && now.isAfter(since.plus(patience))) {
            site.sickUntil = now.plus(SICK_FOR);
        }
    }

    private static Duration max(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    private boolean isNeeded(SiteState of, Instant now) {
        String site = of.plan.name();
        boolean dry = world.settings().planning().dryRun();
        if ((!of.plan.nodes().standing().isEmpty() && !dry) || of.nextWanted() != null) {
            return true;
        }
        boolean jobs = world.journal().jobsOf(site).stream().anyMatch(job -> switch (job.jobState()) {
            case HELD, SUBMITTED -> false;
            // In a dry run what exists is looked after, and nothing is bought for what waits.
            case STAGING_IN, QUEUED -> !dry && !job.run().home();
            case RUNNING, STAGING_OUT, DONE, FAILED, CANCELLED -> !job.run().home();
        });
        return jobs || hasNodes(site) || (!dry && isWarmed(site, now));
    }

    /** An open window wants nodes here, which come up with the help of a director. */
    private boolean isWarmed(String site, Instant now) {
        return world.settings().planning().schedule().open(now).stream()
                .map(ScheduleWindow::warm)
                .anyMatch(warm -> warm != null && warm.site().equals(site));
    }

    /** A machine that is there already: the record begins where that of a bought one is when it has booted. */
    private void take(SiteState site, SitePlan.Given given, Instant now) {
        String name = site.plan.name();
        if (!site.unusable().isNone() || !world.calls().mayAskAgain("take-director:" + name, now, WHEN_IDLE)) {
            return;
        }
        String id = name + "-director-" + world.journal().store().nextSequence();
        try {
            world.ports().credentials().givenDirector(id, given.hostKey());
        } catch (IOException notKept) {
            obstacle(site, new SiteCause.HostKeyNotKept(String.valueOf(notKept.getMessage())), now);
            return;
        }
        site.directorObstacle = Cause.NONE;
        world.journal().commit(now, NodeRecord.of(draft -> {
            draft.id = id;
            draft.site = name;
            draft.role = NodeRecord.Role.DIRECTOR;
            draft.nodeState = NodeState.PROVISIONING;
            draft.cause = NodeFact.MACHINE_GIVEN;
            draft.since = now;
            draft.purchase = Purchase.of(bought -> {
                bought.offering = new OfferingId(name, "given", "given", Market.ON_DEMAND);
                bought.from = now;
            });
            draft.place = new NodeRecord.Place("given", given.address(), given.sshPort(), given.address());
        }));
        LOG.info("{} is made of the machine at {}", id, given.address());
    }

    private void buy(SiteState site, Instant now) {
        if (site.plan.director().given().isPresent()) {
            take(site, site.plan.director().given().get(), now);
            return;
        }
        if (!site.unusable().isNone()) {
            return;
        }
        Optional<Offering> offering = site.directorOffering();
        if (offering.isEmpty()) {
            if (site.offeringsAt != null) {
                obstacle(
                        site,
                        new SiteCause.DirectorNotOffered(
                                site.plan.director().type(),
                                site.plan.director().zone()),
                        now);
            }
            return;
        }
        if (!world.calls().mayAskAgain("buy-director:" + site.plan.name(), now, Duration.ofSeconds(5))) {
            return;
        }
        Money least = offering.get()
                .pricePerHour()
                .perHourFor(SiteState.FIRST_COMMITMENT)
                .plus(leastForANode(site));
        if (least.isMoreThan(purse.left(now))) {
            obstacle(site, new SiteCause.BudgetForDirector(purse.left(now), least), now);
            return;
        }
        site.directorObstacle = Cause.NONE;
        launches.decide(
                site,
                offering.get(),
                1,
                NodeRecord.Role.DIRECTOR,
                SiteState.FIRST_COMMITMENT,
                site.plan.nodes().standing().isEmpty() ? new NodeCause.JobsWait(site.plan.name()) : NodeFact.NODES_KEPT,
                now);
    }

    private static void obstacle(SiteState site, Cause what, Instant now) {
        site.directorObstacle = what;
        site.trouble(what, now);
    }

    /** The least that a node for a waiting job would reserve: a director alone would be money for nothing. */
    private Money leastForANode(SiteState site) {
        return world.waiting().stream()
                .filter(job -> job.run().site().equals(site.plan.name()))
                .flatMap(job -> site.offerings().stream()
                        .filter(one -> job.spec().resources().fitsIn(one.resources()))
                        .map(one -> one.pricePerHour()
                                .perHourFor(
                                        purse.reservation(site.plan, job.spec().walltime()))
                                .times(job.spec().nodes())))
                .min(Comparator.naturalOrder())
                .orElse(Money.ZERO);
    }

    private void keep(SiteState site, NodeRecord director, List<WaitFinding> found, Instant now) {
        switch (director.nodeState()) {
            case PROVISIONING -> install(site, director, now);
            case JOINING, READY, DRAINING -> {
                if (site.linkFailures >= 2) {
                    install(site, director, now);
                }
                sync(site, director, found, now);
                replicating.advance(site, director, now);
            }
            default -> {}
        }
    }

    private void idle(SiteState site, NodeRecord director, boolean needed, boolean releasing, Instant now) {
        if (needed) {
            site.idleSince = null;
            if (director.nodeState() == NodeState.DRAINING && director.cause() != NodeFact.OVER_BUDGET) {
                world.journal().commit(now, director.to(NodeState.READY, NodeFact.NEEDED_AGAIN, now));
            }
        } else if (site.idleSince == null) {
            site.idleSince = now;
        } else if (releasing && director.nodeState() == NodeState.READY) {
            world.journal().commit(now, director.to(NodeState.DRAINING, NodeFact.RELEASED, now));
        } else if (director.nodeState() == NodeState.READY
                && !now.isBefore(site.idleSince.plus(site.plan.director().idle()))) {
            world.journal().commit(now, director.to(NodeState.DRAINING, NodeFact.IDLE, now));
        }
    }

    private void install(SiteState site, NodeRecord director, Instant now) {
        String key = "install:" + director.id();
        if (director.address().isEmpty() || !world.calls().mayAskAgain(key, now, BETWEEN_INSTALLS)) {
            return;
        }
        DirectorTarget target = Sites.target(director);
        world.ports()
                .effects()
                .begin(
                        key,
                        () -> {
                            world.ports().installer().install(target);
                            return true;
                        },
                        done -> {
                            site.installed = director.id();
                            site.linkFailures = 0;
                        },
                        failure -> {
                            Cause what = new SiteCause.DirectorNotInstalled(String.valueOf(failure.getMessage()));
                            site.trouble(what, clock.get());
                            LOG.warn("{}: {}", director.id(), what.text());
                        });
    }

    private void sync(SiteState site, NodeRecord director, List<WaitFinding> found, Instant now) {
        String key = "sync:" + site.plan.name();
        if (world.ports().effects().isUnderWay(key)) {
            return;
        }
        DirectorTarget target = Sites.target(director);
        Directive directive = directives.of(site, found, now);
        Instant last = site.syncBegun;
        boolean news = !directive.equals(site.acknowledged);
        Duration pause = site.linkFailures > 0 ? WHEN_STEADY : isBusy(site) ? WHEN_BUSY : WHEN_IDLE;
        if (last != null && now.isBefore(last.plus(pause)) && !(news && site.linkFailures == 0)) {
            return;
        }
        site.syncBegun = now;
        // A director whose nodes are not known yet is asked and told nothing: it ignores what is older than what it
        // has.
        boolean onlyAsks = sites.unknowns().isQuarantined() && site.report == null;
        long sequence = onlyAsks ? 0 : sites.nextDirective();
        world.ports()
                .effects()
                .begin(
                        key,
                        () -> {
                            Directive.DirectoryGrant directory =
                                    world.ports().directory().open(target);
                            if (clock.get().isAfter(now.plus(FRESH))) {
                                // An old directive might renew the lease of a node that was given up since.
                                throw new LinkDownException("the link took so long that the directive grew old");
                            }
                            return world.ports()
                                    .link()
                                    .sync(target, Directives.sendable(directive, sequence, directory));
                        },
                        report -> {
                            site.acknowledged = onlyAsks ? null : directive;
                            site.linkFailures = 0;
                            site.well();
                            heard(site, director, report, now);
                        },
                        failure -> {
                            site.linkFailures++;
                            site.acknowledged = null;
                            LOG.warn("{} does not answer: {}", director.id(), failure.getMessage());
                        });
    }

    private boolean isBusy(SiteState site) {
        String name = site.plan.name();
        return world.journal().jobs(JobState.RUNNING).stream()
                        .anyMatch(job -> job.run().site().equals(name))
                || world.journal().liveNodes(name).stream()
                        .anyMatch(node -> !node.isDirector()
                                && (node.nodeState() == NodeState.BOOTING || node.nodeState() == NodeState.JOINING));
    }

    private void heard(SiteState site, NodeRecord director, Report report, Instant sent) {
        boolean current = sites.director(site.plan.name())
                .filter(now -> now.id().equals(director.id()))
                .isPresent();
        if (!current) {
            return;
        }
        if (!director.id().equals(site.reportFrom)
                && director.costFrom() != null
                && site.directorMissingSince != null) {
            site.directorBoot = max(Duration.ofSeconds(1), Duration.between(director.costFrom(), sent));
        }
        site.report = report;
        site.reportFrom = director.id();
        site.syncedAt = sent;
        for (Report.NodeReport node : report.nodes()) {
            boolean ours = world.journal()
                    .node(node.node())
                    .filter(known -> known.isLive() && known.site().equals(site.plan.name()))
                    .isPresent();
            if (!ours) {
                // A region speaks for its own nodes only.
                continue;
            }
            long silentMillis = Math.max(0, Math.round(Math.min(node.silentSeconds(), 1e9) * 1000));
            seen.sights().heard(node.node(), sent.minusMillis(silentMillis));
        }
        report.joins().forEach(request -> join(site, request));
    }

    /** A token alone buys nothing: the provider must list the instance under that intent, at that address, once. */
    private void join(SiteState site, Report.JoinRequest request) {
        for (NodeRecord node : live.nodes(site.plan.name())) {
            boolean expected = node.nodeState() == NodeState.BOOTING
                    && !node.isDirector()
                    && node.intent().equals(request.intent())
                    && request.instance().equals(node.instance())
                    && node.address().equals(request.address())
                    && site.seen(request.instance()) != null;
            if (expected && node.joinRequest().isEmpty()) {
                try {
                    String certificate = world.ports().credentials().signNode(request.csr(), node.id());
                    world.journal().commit(clock.get(), node.withJoin(request.request(), certificate));
                } catch (IOException notOne) {
                    LOG.warn("{}: its join request cannot be granted: {}", node.id(), notOne.getMessage());
                }
                return;
            }
        }
    }
}
