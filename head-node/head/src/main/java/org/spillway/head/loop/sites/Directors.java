package org.spillway.head.loop.sites;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.JobState;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.Reclaimed;
import org.spillway.head.loop.foreign.ForeignJobs;
import org.spillway.head.loop.launches.Launches;
import org.spillway.head.loop.state.LiveNodes;
import org.spillway.head.loop.state.NodeMemory;
import org.spillway.head.loop.state.Purse;
import org.spillway.head.loop.state.SiteState;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.head.loop.waits.WaitFinding;
import org.spillway.policy.Money;
import org.spillway.policy.ScheduleWindow;

/** Keeps a director where one is needed, tells it what should be, and hears what is. */
public final class Directors {
    private static final Logger LOG = LoggerFactory.getLogger(Directors.class);
    private static final Duration NEXT_COMMITMENT = Duration.ofMinutes(5);
    /** How long jobs that may go elsewhere wait for a director to come up, at least. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** How long they avoid a site whose director did not; then it is tried again. */
    private static final Duration SICK_FOR = Duration.ofMinutes(5);

    private final World world;
    private final Sites sites;
    private final Purse purse;
    private final DirectorLedger ledger;
    private final DirectorPurchase purchase;
    private final DirectorTalk talk;
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
        this.purse = purse;
        this.ledger = new DirectorLedger(world);
        this.purchase = new DirectorPurchase(world, purse, launches, ledger);
        this.replicating = new Replicating(world);
        this.talk = new DirectorTalk(world, sites, live, seen, new Directives(world, sites, live, foreign), clock);
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
                site.directorTrouble = ledger.trials(site).lastReason();
                purchase.advance(site, needed && !releasing, now);
            } else {
                if (director.get().servedFrom() == null && site.directorTrouble.isNone()) {
                    site.directorTrouble = ledger.trials(site).lastReason();
                }
                boolean isOverBudget = reserve(director.get(), now);
                world.journal().node(director.get().id()).ifPresent(current -> {
                    boolean kept = needed || sites.unknowns().isAny(site.plan.name());
                    end(site, current, kept, releasing, isOverBudget, now);
                    keep(site, current, found, now);
                });
            }
        }
        return found;
    }

    /**
     * Asks the directors of a state that may have another head, and does nothing else.
     *
     * @param others that may obey another head, and are asked by others
     * @return whether nothing else is to be begun yet
     */
    public boolean asksFirst(Collection<String> others, Instant now) {
        List<SiteState> led = sites.all().stream()
                .filter(site -> sites.readyDirector(site.plan.name()).isPresent())
                .toList();
        List<String> names = new ArrayList<>(others);
        led.forEach(site -> names.add(site.plan.name()));
        if (sites.rivals().isSettledBy(names)) {
            world.journal().store().settle();
            return false;
        }
        if (!sites.rivals().isHeldBack(names, now)) {
            return false;
        }
        for (SiteState site : led) {
            sites.readyDirector(site.plan.name())
                    .ifPresent(director -> talk.sync(site, director, new ArrayList<>(), now));
        }
        return true;
    }

    /** Results are on their way home, or nodes still end: a director that goes now would take them with it. */
    private boolean holdsResults(String site) {
        boolean results = world.journal().jobs(JobState.STAGING_OUT).stream()
                .anyMatch(job -> job.run().site().equals(site) && !job.run().home());
        return results || holdsCheckpoint(site) || hasNodes(site);
    }

    /** A checkpoint of a job that goes on, which nobody else has. What was lost with its director is no reason for another. */
    private boolean holdsCheckpoint(String site) {
        return !world.journal().liveDirectors(site).isEmpty()
                && Stream.of(JobState.STAGING_IN, JobState.QUEUED, JobState.RUNNING)
                        .flatMap(state -> world.journal().jobs(state).stream())
                        .anyMatch(job -> job.run().reclaimed() instanceof Reclaimed left && left.isOnlyIn(site));
    }

    private boolean hasNodes(String site) {
        return world.journal().liveNodes(site).stream().anyMatch(node -> !node.isDirector());
    }

    /**
     * A director's price is reserved a stretch ahead; when the budget has no room for the next, its site ends.
     *
     * @return whether there is no room
     */
    private boolean reserve(NodeRecord director, Instant now) {
        Instant from = director.costFrom();
        if (from == null
                || now.isBefore(from.plus(director.committedFor())
                        .minus(world.settings().spending().endingAllowance()))) {
            return false;
        }
        Money more = director.pricePerHour().perHourFor(NEXT_COMMITMENT);
        if (more.isMoreThan(purse.left(now))) {
            return true;
        }
        world.journal()
                .commit(now, director.withCommittedFor(director.committedFor().plus(NEXT_COMMITMENT)));
        return false;
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

    static Duration max(Duration one, Duration other) {
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
        boolean ahead = !dry
                && world.journal().stages().stream()
                        .anyMatch(stage -> stage.site().equals(site) && stage.needsSite());
        return jobs || ahead || holdsCheckpoint(site) || hasNodes(site) || (!dry && isWarmed(site, now));
    }

    /** An open window wants nodes here, which come up with the help of a director. */
    private boolean isWarmed(String site, Instant now) {
        return world.settings().planning().schedule().open(now).stream()
                .map(ScheduleWindow::warm)
                .anyMatch(warm -> warm != null && warm.site().equals(site));
    }

    private void keep(SiteState site, NodeRecord director, List<WaitFinding> found, Instant now) {
        switch (director.nodeState()) {
            case PROVISIONING -> talk.install(site, director, now);
            case JOINING, READY, DRAINING -> {
                if (site.linkFailures >= 2) {
                    talk.install(site, director, now);
                }
                talk.sync(site, director, found, now);
                replicating.advance(site, director, now);
            }
            default -> {}
        }
    }

    /** @param isOverBudget its next stretch cannot be paid */
    private void end(
            SiteState site, NodeRecord director, boolean needed, boolean releasing, boolean isOverBudget, Instant now) {
        if (needed) {
            site.idleSince = null;
        } else if (site.idleSince == null) {
            site.idleSince = now;
        }
        boolean isNew = director.servedFrom() == null && !director.isGiven();
        DirectorEnd.Wish wish = new DirectorEnd.Wish(
                needed,
                releasing,
                isOverBudget && !holdsResults(site.plan.name()),
                isNew && ledger.isLost(site, now),
                site.idleSince,
                site.plan.director().idle());
        new DirectorEnd(director, wish, now).next().ifPresent(next -> {
            LOG.info("{}: {} -> {} {}", next.id(), director.nodeState(), next.nodeState(), next.reason());
            world.journal().commit(now, next);
        });
    }
}
