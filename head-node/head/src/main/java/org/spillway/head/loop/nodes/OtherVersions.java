package org.spillway.head.loop.nodes;

import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.NodeState;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Report;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.foreign.ForeignJobs;
import org.spillway.head.loop.state.Attested;
import org.spillway.head.loop.state.LiveNodes;
import org.spillway.head.loop.state.Purse;
import org.spillway.head.loop.state.SiteState;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.Wanted;
import org.spillway.head.loop.state.World;

/**
 * Nodes whose jobs live in another version of a root file system than their category wants now. One without jobs passes its gate
 * once more, in the next turn, as what is wanted; under a job nothing changes.
 */
public final class OtherVersions {
    private static final Logger LOG = LoggerFactory.getLogger(OtherVersions.class);

    private final World world;
    private final Sites sites;
    private final LiveNodes live;
    private final Purse purse;
    private final ForeignJobs foreign;

    public OtherVersions(World world, Sites sites, LiveNodes live, Purse purse, ForeignJobs foreign) {
        this.world = world;
        this.sites = sites;
        this.live = live;
        this.purse = purse;
        this.foreign = foreign;
    }

    public void advance(Instant now) {
        if (world.settings().roles().categories().isEmpty()) {
            return;
        }
        for (SiteState site : sites.all()) {
            Report report = site.report;
            if (report != null) {
                report.nodes()
                        .forEach(heard -> world.journal()
                                .node(heard.node())
                                .filter(node -> node.isLive() && !node.isDirector())
                                .filter(node -> isOther(world, report, node, heard))
                                .ifPresent(node -> renew(node, now)));
            }
        }
    }

    /**
     * Whether the node has passed its gate as what it is to be, but with another root than its category wants now. A wanted
     * one that is not in the site yet is waited for.
     */
    static boolean isOther(World world, Report report, NodeRecord node, Report.NodeReport heard) {
        Directive.ImageGrant wanted = Wanted.of(world, node);
        return report.images().contains(wanted.sha256())
                && isOther(wanted.version(), node.profile().turn(), heard);
    }

    /** @param version that is wanted, empty for the machine's own root; {@code turn} in which the gate must have been passed */
    static boolean isOther(String version, int turn, Report.NodeReport heard) {
        return isOfTurn(heard, turn) && !Attested.of(heard.gate()).version().equals(version);
    }

    /** Words of an earlier turn in a report say nothing about this one. */
    static boolean isOfTurn(Report.NodeReport heard, int turn) {
        String detail = Integer.toString(turn);
        return heard.ready()
                && heard.gate().stream()
                        .anyMatch(check -> check.passed()
                                && check.name().equals(Directive.NodeProfile.CHECK)
                                && check.detail().equals(detail));
    }

    private void renew(NodeRecord node, Instant now) {
        NodeRecord.Profile profile = node.profile();
        NodeRecord.Profile next =
                profile.turnedInto(profile.category(), profile.overlays()).fixed(profile.fixed());
        switch (node.nodeState()) {
            // The node serves nobody yet, and has as long for it as it had.
            case JOINING, REPURPOSING -> world.journal().commit(now, node.as(next));
            case READY -> {
                if (live.runningOn(node.id()).isEmpty() && !foreign.isAllocated(node.id())) {
                    begin(node, next, now);
                }
            }
            default -> {}
        }
    }

    private void begin(NodeRecord node, NodeRecord.Profile next, Instant now) {
        var reservation = TurnsByHand.Reservation.of(world, sites, purse, node, Duration.ZERO, now);
        if (reservation.isTooMuch(purse, now)) {
            return;
        }
        Cause why = new NodeCause.Repurposed(next.category(), NodeFact.OTHER_VERSION);
        LOG.info("{}: {} -> {}: {}", node.id(), node.nodeState(), NodeState.REPURPOSING, why.text());
        world.ports().workload().nodes().drain(node.id(), why.text());
        world.journal().commit(now, reservation.node().repurposed(next, why, now));
    }
}
