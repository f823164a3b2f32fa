package org.spillway.head.loop.sites;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.cloud.Console;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Report;
import org.spillway.head.bootstrap.DirectorUnreachable;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.SiteCause;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.LinkDownException;
import org.spillway.head.loop.state.LiveNodes;
import org.spillway.head.loop.state.NodeMemory;
import org.spillway.head.loop.state.SiteState;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.head.loop.waits.WaitFinding;

/** Installs a director, tells it what should be, and hears what is. */
final class DirectorTalk {
    private static final Logger LOG = LoggerFactory.getLogger(DirectorTalk.class);
    private static final Duration WHEN_BUSY = Duration.ofMillis(100);
    private static final Duration WHEN_STEADY = Duration.ofSeconds(1);
    private static final Duration WHEN_IDLE = Duration.ofSeconds(2);
    /** With the link's own answer time it is less than the margin of a lease. */
    private static final Duration FRESH = Duration.ofSeconds(5);

    private static final Duration BETWEEN_INSTALLS = Duration.ofSeconds(2);
    private static final Duration BETWEEN_CONSOLES = Duration.ofMinutes(1);

    private final World world;
    private final Sites sites;
    private final LiveNodes live;
    private final NodeMemory seen;
    private final Directives directives;
    private final Supplier<Instant> clock;

    DirectorTalk(
            World world, Sites sites, LiveNodes live, NodeMemory seen, Directives directives, Supplier<Instant> clock) {
        this.world = world;
        this.sites = sites;
        this.live = live;
        this.seen = seen;
        this.directives = directives;
        this.clock = clock;
    }

    void install(SiteState site, NodeRecord director, Instant now) {
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
                            Cause what = new SiteCause.DirectorNotInstalled(
                                    LastWords.of(String.valueOf(failure.getMessage())));
                            if (failure instanceof DirectorUnreachable) {
                                console(site, director, what);
                            }
                            if (!isKnown(site.directorTrouble, what)) {
                                site.directorTrouble = what;
                                LOG.warn("{}: {}", director.id(), what.text());
                            }
                        });
    }

    /** Whether that is what is said already, with or without a console. */
    private static boolean isKnown(Cause known, Cause what) {
        return known.equals(what)
                || (known instanceof SiteCause.DirectorConsole console
                        && console.unreachable().equals(what));
    }

    /** Nobody can log in there: its provider may show what it says while it boots. */
    private void console(SiteState site, NodeRecord director, Cause unreachable) {
        String key = "console:" + director.id();
        String instance = director.instance();
        Console console = site.plan.provider().console().orElse(null);
        if (console == null || instance == null || !world.calls().mayAskAgain(key, clock.get(), BETWEEN_CONSOLES)) {
            return;
        }
        world.ports()
                .effects()
                .begin(
                        key,
                        () -> LastWords.of(console.output(instance)),
                        said -> {
                            boolean current = sites.director(site.plan.name())
                                    .filter(now -> now.id().equals(director.id()))
                                    .isPresent();
                            if (current && !said.isEmpty() && !site.directorTrouble.isNone()) {
                                site.directorTrouble = new SiteCause.DirectorConsole(unreachable, said);
                                LOG.warn("{}: {}", director.id(), site.directorTrouble.text());
                            }
                        },
                        failure -> LOG.info("{}: no console: {}", director.id(), failure.getMessage()));
    }

    /** Tells it what should be, when that is due, and hears what is. */
    void sync(SiteState site, NodeRecord director, List<WaitFinding> found, Instant now) {
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
        boolean onlyAsks = (sites.unknowns().mayServe(site.plan.name()) && site.report == null)
                || sites.rivals().onlyAsks(site.plan.name());
        long sequence = onlyAsks ? 0 : sites.nextDirective();
        world.ports()
                .effects()
                .begin(
                        key,
                        () -> {
                            Directive.DirectoryGrant directory =
                                    world.ports().directory().open(target);
                            Instant sent = clock.get();
                            if (sent.isAfter(now.plus(FRESH))) {
                                // An old directive might renew the lease of a node that was given up since.
                                throw new LinkDownException("the link took so long that the directive grew old");
                            }
                            return world.ports()
                                    .link()
                                    .sync(target, Directives.sendable(directive, sequence, directory, sent));
                        },
                        report -> {
                            sites.rivals().heard(site.plan.name(), sequence, report.sequence(), now);
                            site.acknowledged = onlyAsks ? null : directive;
                            site.linkFailures = 0;
                            site.well();
                            site.directorTrouble = Cause.NONE;
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
            site.directorBoot = Directors.max(Duration.ofSeconds(1), Duration.between(director.costFrom(), sent));
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
            joinedBefore(site, node.node());
        }
        report.joins().forEach(request -> join(site, request));
        Renewing.heard(
                report,
                site.renewed,
                node -> hasJoined(site, node),
                world.ports().credentials());
    }

    private boolean hasJoined(SiteState site, String id) {
        return world.journal()
                .node(id)
                .filter(node -> node.isLive()
                        && node.site().equals(site.plan.name())
                        && !node.isDirector()
                        && !node.joinRequest().isEmpty())
                .isPresent();
    }

    /** The node joined in a part of its past that the journal lacks: its director reports nodes with a certificate only. */
    private void joinedBefore(SiteState site, String id) {
        world.journal()
                .node(id)
                .filter(node -> node.nodeState() == NodeState.BOOTING
                        && node.joinRequest().isEmpty()
                        && sites.unknowns().mayServe(site.plan.name()))
                .ifPresent(node -> world.journal().commit(clock.get(), node.withJoin(Adoption.REQUEST, "")));
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
