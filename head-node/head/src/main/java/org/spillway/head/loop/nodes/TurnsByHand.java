package org.spillway.head.loop.nodes;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.foreign.ForeignJobs;
import org.spillway.head.loop.money.Spending;
import org.spillway.head.loop.nodes.OrderRefused.Kind;
import org.spillway.head.loop.settings.Roles;
import org.spillway.head.loop.state.LiveNodes;
import org.spillway.head.loop.state.Purse;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.policy.Money;

/**
 * Nodes that an administrator makes another. One that nothing runs on changes at once; another when its jobs are over, if that
 * was asked for: what it is to become then lies in the journal. Whoever was made something by hand stays that until an
 * administrator says otherwise: the scaler makes nothing else of it.
 */
public final class TurnsByHand {
    private static final Logger LOG = LoggerFactory.getLogger(TurnsByHand.class);

    private final World world;
    private final Sites sites;
    private final LiveNodes live;
    private final Purse purse;
    private final ForeignJobs foreign;

    public TurnsByHand(World world, Sites sites, LiveNodes live, Purse purse, ForeignJobs foreign) {
        this.world = world;
        this.sites = sites;
        this.live = live;
        this.purse = purse;
        this.foreign = foreign;
    }

    /** Turns the nodes that were drained for it. */
    public void advance(Instant now) {
        for (NodeRecord node : live.nodes()) {
            NodeRecord.Profile next = node.care().next();
            if (next == null || node.nodeState() != NodeState.DRAINING || isBusy(node)) {
                continue;
            }
            Reservation reservation = Reservation.of(world, sites, purse, node, Duration.ZERO, now);
            if (!isKnown(next)) {
                said(node.withCare(new NodeRecord.Care(node.care().keep(), true)), gone(next), now);
            } else if (reservation.isTooMuch(purse, now)) {
                said(node, reservation.why(purse, now), now);
            } else {
                begin(reservation.node(), next, node.cause(), now);
            }
        }
    }

    private void said(NodeRecord node, Cause why, Instant now) {
        if (!node.cause().equals(why)) {
            LOG.warn("{} stays drained: {}", node.id(), why.text());
            world.journal().commit(now, node.to(NodeState.DRAINING, why, now));
        }
    }

    private boolean isKnown(NodeRecord.Profile profile) {
        Roles roles = world.settings().roles();
        return (profile.category().isEmpty() || roles.categories().containsKey(profile.category()))
                && roles.overlays().containsAll(profile.overlays());
    }

    private static Cause gone(NodeRecord.Profile profile) {
        return new NodeCause.ProfileGone(profile.text());
    }

    /** A turn to what is so already is success. @throws OrderRefused when it cannot be done now */
    public NodeRecord turn(NodeRecord node, NodeTurn turn, Instant now) {
        check(node, turn);
        NodeRecord.Profile pending = node.care().next();
        NodeRecord.Profile next = wanted(pending == null ? node.profile() : pending, turn);
        return switch (node.nodeState()) {
            case READY -> turned(node, next, turn, now);
            case DRAINING -> {
                if (!node.care().parked()) {
                    throw ByHand.conflict(node, "become another");
                }
                yield turned(node, next, turn, now);
            }
            case REPURPOSING -> {
                if (!next.isLike(node.profile())) {
                    throw ByHand.conflict(node, "become yet another");
                }
                yield committed(node.as(node.profile().fixed(true)), now);
            }
            default -> throw ByHand.conflict(node, "become another");
        };
    }

    private NodeRecord turned(NodeRecord node, NodeRecord.Profile wanted, NodeTurn turn, Instant now) {
        if (wanted.isLike(node.profile())) {
            return left(node.as(node.profile().fixed(true)), now);
        }
        NodeRecord.Profile next =
                node.profile().turnedInto(wanted.category(), wanted.overlays()).fixed(true);
        Reservation reservation = Reservation.of(world, sites, purse, node, Duration.ZERO, now);
        if (reservation.isTooMuch(purse, now)) {
            throw new OrderRefused(
                    Kind.LIMIT,
                    reservation.why(purse, now).text(),
                    "raise the budget, or remove nodes that are not needed");
        }
        if (!isBusy(node)) {
            return begin(reservation.node(), next, turn.cause(), now);
        }
        int jobs = live.runningOn(node.id()).size();
        if (!turn.drain()) {
            throw new OrderRefused(
                    Kind.CONFLICT,
                    node.id() + " runs " + jobs + (jobs == 1 ? " job" : " jobs"),
                    "with --drain it gets no further ones and changes when they are over");
        }
        NodeRecord draining = node.withCare(new NodeRecord.Care(node.care().keep(), true, next))
                .to(NodeState.DRAINING, turn.cause(), now);
        world.ports().workload().nodes().drain(node.id(), draining.reason());
        return committed(draining, now);
    }

    /** The node is that already. One that was drained to become another serves again. */
    private NodeRecord left(NodeRecord node, Instant now) {
        if (node.care().next() == null) {
            return committed(node, now);
        }
        NodeRecord ready = committed(
                node.withCare(new NodeRecord.Care(node.care().keep(), false))
                        .to(NodeState.READY, NodeFact.LEFT_BY_HAND, now),
                now);
        world.ports().workload().nodes().join(LiveNodes.joined(ready));
        return ready;
    }

    private NodeRecord begin(NodeRecord node, NodeRecord.Profile next, Cause why, Instant now) {
        LOG.info("{}: {}", node.id(), why.text());
        world.ports().workload().nodes().drain(node.id(), why.text());
        return committed(
                node.withCare(new NodeRecord.Care(node.care().keep(), false)).repurposed(next, why, now), now);
    }

    private boolean isBusy(NodeRecord node) {
        return !live.runningOn(node.id()).isEmpty()
                || foreign.isAllocated(node.id())
                || (node.nodeState() == NodeState.DRAINING
                        && !world.ports()
                                .workload()
                                .nodeList()
                                .map(its -> its.isVacant(node.id()))
                                .orElse(true));
    }

    private void check(NodeRecord node, NodeTurn turn) {
        Roles roles = world.settings().roles();
        switch (turn.kind()) {
            case REPURPOSE -> {
                known(
                        "category",
                        turn.name(),
                        turn.name().isEmpty(),
                        roles.categories().keySet());
                String type = node.offering().instanceType();
                if (!roles.allows(turn.name(), type)) {
                    throw new OrderRefused(
                            Kind.CONFLICT,
                            "nodes of category " + turn.name() + " are not of type " + type,
                            "the category's 'types' in the configuration say of which");
                }
            }
            case JOIN -> known("overlay", turn.name(), false, roles.overlays());
            // The configuration may have lost one that a node still has.
            case LEAVE ->
                known("overlay", turn.name(), node.profile().overlays().contains(turn.name()), roles.overlays());
        }
    }

    private static void known(String what, String name, boolean anyway, Collection<String> names) {
        if (!anyway && !names.contains(name)) {
            throw new OrderRefused(
                    Kind.NOT_FOUND,
                    "there is no " + what + " '" + name + "'",
                    names.isEmpty()
                            ? "the configuration has none"
                            : "there is " + String.join(", ", new TreeSet<>(names)));
        }
    }

    private NodeRecord.Profile wanted(NodeRecord.Profile base, NodeTurn turn) {
        boolean join = turn.kind() == NodeTurn.Kind.JOIN;
        return switch (turn.kind()) {
            case REPURPOSE ->
                base.turnedInto(turn.name(), world.settings().roles().overlays(turn.name()));
            case JOIN, LEAVE ->
                base.overlays().contains(turn.name()) == join ? base : Repurposing.overlaid(base, turn.name(), join);
        };
    }

    private NodeRecord committed(NodeRecord node, Instant now) {
        world.journal().commit(now, node);
        return node;
    }

    /** A node's further reservation. */
    record Reservation(NodeRecord node, Money more) {
        /** @param walltime of what will run on it */
        static Reservation of(World world, Sites sites, Purse purse, NodeRecord node, Duration walltime, Instant now) {
            Instant from = node.costFrom();
            if (from == null) {
                return new Reservation(node, Money.ZERO);
            }
            Duration until = Duration.between(from, now).plus(purse.reservation(sites.of(node.site()).plan, walltime));
            NodeRecord longer = until.compareTo(node.committedFor()) > 0 ? node.withCommittedFor(until) : node;
            Instant period = world.settings().spending().periodStart(now);
            return new Reservation(longer, Spending.of(longer, period, now).minus(Spending.of(node, period, now)));
        }

        boolean isTooMuch(Purse purse, Instant now) {
            return more.isMoreThan(purse.left(now));
        }

        Cause why(Purse purse, Instant now) {
            return new WaitCause.Budget(purse.left(now), more, WaitCause.Purpose.TURN);
        }
    }
}
