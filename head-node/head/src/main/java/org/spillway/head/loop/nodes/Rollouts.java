package org.spillway.head.loop.nodes;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.NodeState;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.cause.RolloutCause.RolloutFact;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.RolloutRecord;
import org.spillway.head.loop.foreign.ForeignJobs;
import org.spillway.head.loop.state.LiveNodes;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.Wanted;
import org.spillway.head.loop.state.World;
import org.spillway.head.rollout.Member;
import org.spillway.head.rollout.NodeSight;
import org.spillway.head.rollout.NodeSight.Place;
import org.spillway.head.rollout.Rollout;
import org.spillway.head.rollout.RolloutPlan;
import org.spillway.head.rollout.Terms;
import org.spillway.head.rollout.Version;

/**
 * Takes rollouts further, a step a tick: what {@link RolloutPlan} says lies in the journal before a node is told. Busy nodes of a
 * batch get no further jobs; {@link TurnsByHand} and {@link OtherVersions} change those that have none.
 */
public final class Rollouts {
    private static final Logger LOG = LoggerFactory.getLogger(Rollouts.class);

    private final World world;
    private final LiveNodes live;
    private final RolloutSights sights;
    private final Set<String> late = new HashSet<>();

    public Rollouts(World world, Sites sites, LiveNodes live, ForeignJobs foreign) {
        this.world = world;
        this.live = live;
        this.sights = new RolloutSights(sites, live, foreign);
    }

    public void advance(Instant now) {
        world.settings()
                .roles()
                .categories()
                .forEach((name, category) -> category.rollout()
                        .ifPresent(terms -> named(name, terms, now).ifPresent(found -> further(found, now))));
        Set<String> members = members();
        sights.keep(members);
        late.retainAll(members);
        world.ports()
                .images()
                .hold(held(
                        world.journal(), world.settings().roles().categories().keySet()));
    }

    /** Versions that nodes have, are to have, or may be given back. @param categories that the configuration has */
    public static Set<Version> held(Journal journal, Set<String> categories) {
        Set<Version> held = new HashSet<>();
        journal.rollouts().stream()
                .filter(record -> categories.contains(record.category()))
                .forEach(record -> held.addAll(record.held()));
        return held;
    }

    private Set<String> members() {
        Set<String> members = new HashSet<>();
        world.journal().rollouts().stream()
                .flatMap(record -> record.members().stream())
                .forEach(member -> members.add(member.node()));
        return members;
    }

    /** The record of a category, with a rollout begun where the configuration names another version than before. */
    private Optional<RolloutRecord> named(String category, Terms terms, Instant now) {
        Optional<RolloutRecord> known = world.journal().rollout(category);
        Version named = Wanted.named(world, category);
        if (named.isNone()) {
            return known;
        }
        if (known.isEmpty()) {
            RolloutRecord first = RolloutRecord.first(category, named);
            world.journal().commit(now, first);
            return Optional.of(first);
        }
        RolloutRecord record = known.get();
        if (record.named().equals(named) || record.isUnderWay()) {
            return known;
        }
        RolloutRecord next = record.naming(named);
        if (!record.settled().equals(named)) {
            LOG.info("{}: {} -> {} by a rollout", category, record.settled().brief(), named.brief());
            next = next.with(Rollout.begin(record.settled(), named, terms, RolloutFact.IMAGE_MOVED, now));
        }
        world.journal().commit(now, next);
        return Optional.of(next);
    }

    private void further(RolloutRecord record, Instant now) {
        Rollout rollout = record.rollout();
        if (rollout == null || rollout.isOver()) {
            return;
        }
        List<NodeSight> seen = seen(record, rollout, now);
        Rollout next = RolloutPlan.next(rollout, seen, now);
        if (!next.equals(rollout)) {
            world.journal().commit(now, record.with(next));
            said(record.category(), rollout, next);
        }
        RolloutPlan.heldUp(next, now).stream()
                .filter(late::add)
                .forEach(node -> LOG.warn("{}: the rollout is held up by {}", record.category(), node));
        Map<String, NodeSight> known = new HashMap<>();
        seen.forEach(sight -> known.put(sight.node(), sight));
        nodes(record.category()).forEach(node -> {
            NodeSight sight = known.get(node.id());
            if (sight != null) {
                tell(node, sight, next, now);
            }
        });
    }

    private static void said(String category, Rollout before, Rollout now) {
        if (!before.state().equals(now.state())) {
            LOG.info(
                    "{}: rollout of {}: {} -> {}: {}",
                    category,
                    now.to().brief(),
                    before.state(),
                    now.state(),
                    now.cause().text());
        }
        for (Member member : now.members()) {
            if (before.member(member.node())
                    .filter(one -> one.stage() == member.stage())
                    .isEmpty()) {
                LOG.info(
                        "{}: {} {} {}",
                        category,
                        member.node(),
                        member.stage(),
                        member.cause().text());
            }
        }
    }

    private Stream<NodeRecord> nodes(String category) {
        return live.nodes().stream()
                .filter(node -> !node.isDirector() && node.profile().category().equals(category));
    }

    private List<NodeSight> seen(RolloutRecord record, Rollout rollout, Instant now) {
        String image = world.ports().images().version(rollout.next()).sha256();
        List<NodeSight> all = new ArrayList<>();
        nodes(record.category())
                .forEach(node ->
                        all.add(sights.of(node, rollout.member(node.id()).isPresent(), image, now)));
        rollout.members().stream()
                .flatMap(member -> world.journal().node(member.node()).stream())
                .filter(node -> !node.isLive())
                .forEach(node -> all.add(sights.of(node, true, image, now)));
        return all;
    }

    /** Repeated each tick: a head that was killed in between does the same. */
    private void tell(NodeRecord node, NodeSight sight, Rollout rollout, Instant now) {
        boolean told = rollout.member(node.id())
                .filter(one -> one.stage() == Member.Stage.TURNING || one.stage() == Member.Stage.BACK)
                .filter(one -> !isResumed(node, one))
                .isPresent();
        String wanted = rollout.wanted(node.id()).digest();
        boolean isOther = sight.known() && !sight.version().equals(wanted);
        if (sight.place() == Place.SERVING && told && isOther && sight.busy()) {
            drain(node, now);
        } else if (sight.place() == Place.DRAINED && sight.known() && !isOther) {
            serve(node, now);
        }
    }

    /** An administrator has said since it was told that it is to have jobs: it changes when it has none. */
    private static boolean isResumed(NodeRecord node, Member told) {
        boolean byHand = node.cause() == NodeFact.RESUMED_BY_HAND || node.cause() == NodeFact.LEFT_BY_HAND;
        return byHand && !node.since().isBefore(told.since());
    }

    private void drain(NodeRecord node, Instant now) {
        NodeRecord.Profile profile = node.profile();
        NodeRecord.Profile next =
                profile.turnedInto(profile.category(), profile.overlays()).fixed(profile.fixed());
        NodeRecord draining = node.withCare(new NodeRecord.Care(node.care().keep(), true, next))
                .to(NodeState.DRAINING, new NodeCause.Repurposed(profile.category(), NodeFact.OTHER_VERSION), now);
        LOG.info("{}: {} -> {}: {}", node.id(), node.nodeState(), draining.nodeState(), draining.reason());
        world.ports().workload().nodes().drain(node.id(), draining.reason());
        world.journal().commit(now, draining);
    }

    private void serve(NodeRecord node, Instant now) {
        NodeRecord ready = node.withCare(new NodeRecord.Care(node.care().keep(), false))
                .to(NodeState.READY, NodeFact.VERSION_KEPT, now);
        LOG.info("{}: {} -> {}: {}", node.id(), node.nodeState(), ready.nodeState(), ready.reason());
        world.journal().commit(now, ready);
        world.ports().workload().nodes().join(LiveNodes.joined(ready));
    }
}
