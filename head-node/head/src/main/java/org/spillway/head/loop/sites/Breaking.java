package org.spillway.head.loop.sites;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.NodeState;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.journal.BreakerEntry;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.state.NodeMemory;
import org.spillway.head.loop.state.SiteState;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.scaler.plan.Breakers;
import org.spillway.scaler.plan.Breakers.SiteSight;
import org.spillway.scaler.plan.SickGroups;

/** Opens breakers, and closes those that close by themselves; each move is journalled. */
public final class Breaking {
    private static final Logger LOG = LoggerFactory.getLogger(Breaking.class);

    private final World world;
    private final Sites sites;
    private final NodeMemory seen;
    private final DirectorLedger directors;

    public Breaking(World world, Sites sites, NodeMemory seen) {
        this.world = world;
        this.sites = sites;
        this.seen = seen;
        this.directors = new DirectorLedger(world);
    }

    public void advance(Instant now) {
        List<Breakers.State> before = world.journal().breakers();
        Set<Breakers.State> known = new HashSet<>(before);
        List<Entry> changed = new ArrayList<>();
        Breakers.Settings settings = world.settings().planning().breakers();
        List<Breakers.NodeOutcome> outcomes = world.journal().outcomes();
        List<Breakers.State> next = SickGroups.next(
                Breakers.next(before, outcomes, sights(now), now, settings), outcomes, serving(), now, settings.sick());
        for (Breakers.State state : next) {
            if (!known.contains(state)) {
                changed.add(new BreakerEntry(state));
                said(state);
            }
        }
        for (SiteState site : sites.all()) {
            if (site.plan.director().given().isEmpty()) {
                DirectorDecision.breaker(directors.breakerFacts(site, now)).ifPresent(state -> {
                    changed.add(new BreakerEntry(state));
                    said(state);
                });
            }
        }
        if (!changed.isEmpty()) {
            world.journal().commit(now, changed);
        }
    }

    private static void said(Breakers.State state) {
        if (state.open()) {
            LOG.warn("breaker {} opens: {}; {}", state.id(), state.reason(), Breakers.remedy(state));
        } else {
            LOG.info("breaker {} closes: {}", state.id(), state.reason());
        }
    }

    private Set<String> serving() {
        return world.journal().liveNodes().stream()
                .filter(node -> !node.isDirector() && node.nodeState() == NodeState.READY)
                .map(NodeRecord::id)
                .collect(Collectors.toSet());
    }

    private List<SiteSight> sights(Instant now) {
        List<SiteSight> sights = new ArrayList<>();
        for (SiteState site : sites.all()) {
            int nodes = 0;
            int unready = 0;
            for (NodeRecord node : world.journal().liveNodes(site.plan.name())) {
                if (!node.isDirector()) {
                    boolean serves = node.nodeState() == NodeState.READY || node.nodeState() == NodeState.DRAINING;
                    boolean lost = isLost(node) || (serves && isSilent(site, node, now));
                    boolean joined = lost || serves;
                    nodes += joined ? 1 : 0;
                    unready += lost ? 1 : 0;
                }
            }
            sights.add(new SiteSight(site.plan.name(), nodes, unready, silentFor(site, now)));
        }
        return sights;
    }

    /** The node was given up, and is there until its instance has gone. */
    private static boolean isLost(NodeRecord node) {
        return node.nodeState() == NodeState.UNREACHABLE
                || (node.nodeState() == NodeState.TERMINATING && node.cause() == NodeFact.NOT_HEARD);
    }

    /** Half of its lease has gone by, while its director was heard: the others' leases end soon, too. */
    private boolean isSilent(SiteState site, NodeRecord node, Instant now) {
        Instant heard = seen.sights().lastHeard(node.id());
        Instant director = site.syncedAt;
        Duration half = world.settings().lease().length().dividedBy(2);
        return heard != null
                && director != null
                && heard.isBefore(director.minus(half))
                && heard.isBefore(now.minus(half));
    }

    /** Null while there is no director that was up; what an earlier head heard does not count. */
    private @Nullable Duration silentFor(SiteState site, Instant now) {
        Optional<NodeRecord> director = world.journal().liveDirectors(site.plan.name()).stream()
                .filter(node -> node.nodeState() == NodeState.READY || node.nodeState() == NodeState.UNREACHABLE)
                .findFirst();
        if (director.isEmpty()) {
            return null;
        }
        Instant heard = site.syncedAt;
        Instant floor = director.get().nodeState() == NodeState.READY
                        && director.get().since().isAfter(world.startedAt())
                ? director.get().since()
                : world.startedAt();
        Instant last = heard == null || heard.isBefore(floor) ? floor : heard;
        return last.isAfter(now) ? Duration.ZERO : Duration.between(last, now);
    }
}
