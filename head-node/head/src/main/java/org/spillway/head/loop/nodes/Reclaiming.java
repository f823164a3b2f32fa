package org.spillway.head.loop.nodes;

import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.NodeState;
import org.spillway.director.wire.Report;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.state.SiteState;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.policy.Market;

/**
 * Spot nodes whose provider takes them back, as they have heard. They get no further jobs; those that run there are told by
 * the node itself, which needs nobody for it. One that may only be taken soon ends its jobs, and is not used again.
 */
final class Reclaiming {
    private static final Logger LOG = LoggerFactory.getLogger(Reclaiming.class);
    /** The last second of the year 9999: what a node says may be nonsense. */
    private static final long LAST_SECOND = 253_402_300_799L;

    private final World world;
    private final Sites sites;

    Reclaiming(World world, Sites sites) {
        this.world = world;
        this.sites = sites;
    }

    void advance(Instant now) {
        for (SiteState site : sites.all()) {
            Report report = site.report;
            if (report != null) {
                report.nodes().forEach(heard -> advance(site, heard, now));
            }
        }
    }

    private void advance(SiteState site, Report.NodeReport heard, Instant now) {
        Report.Notice notice = heard.notice();
        if (notice == null) {
            return;
        }
        world.journal()
                .node(heard.node())
                .filter(node -> node.isLive() && node.site().equals(site.plan.name()) && !node.isDirector())
                .flatMap(node -> next(node, notice, now))
                .ifPresent(next -> {
                    LOG.info("{}: {} {}", next.id(), next.nodeState(), next.reason());
                    world.journal().commit(now, next);
                    world.ports().workload().nodes().drain(next.id(), next.reason());
                });
    }

    /** The step of a node whose provider has said that; empty for none. */
    static Optional<NodeRecord> next(NodeRecord node, Report.Notice notice, Instant now) {
        boolean serves = node.nodeState() == NodeState.READY || node.nodeState() == NodeState.DRAINING;
        if (!serves || node.offering().market() != Market.SPOT) {
            return Optional.empty();
        }
        long when = Math.clamp(notice.epochSeconds(), 0, LAST_SECOND);
        if (notice.certain()) {
            return Optional.of(node.takenBack().to(NodeState.RECLAIMING, new NodeCause.Reclaimed(when), now));
        }
        return node.nodeState() == NodeState.READY
                ? Optional.of(node.to(NodeState.DRAINING, new NodeCause.AtRisk(when), now))
                : Optional.empty();
    }
}
