package org.spillway.head.loop.nodes;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.cause.PlaceCause;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.launches.Launches;
import org.spillway.head.loop.nodes.OrderRefused.Kind;
import org.spillway.head.loop.state.LiveNodes;
import org.spillway.head.loop.state.NodeMemory;
import org.spillway.head.loop.state.NodePurchase;
import org.spillway.head.loop.state.Offers;
import org.spillway.head.loop.state.Purse;
import org.spillway.head.loop.state.SiteState;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingStatus;
import org.spillway.scaler.plan.OfferingHealth;

/**
 * Orders of administrators for nodes, within the limits that hold for the scaler too. A purchase in a site without a
 * director waits for one; it is in memory only, and forgotten when the head is restarted meanwhile or after a while.
 */
public final class ByHand {
    private static final Logger LOG = LoggerFactory.getLogger(ByHand.class);
    private static final NodeFact WHY = NodeFact.ASKED_BY_HAND;
    private static final Duration DIRECTOR_AWAITED = Duration.ofMinutes(15);

    private final World world;
    private final Sites sites;
    private final LiveNodes live;
    private final Offers offers;
    private final Purse purse;
    private final NodeMemory seen;
    private final Launches launches;

    public ByHand(
            World world, Sites sites, LiveNodes live, Offers offers, Purse purse, NodeMemory seen, Launches launches) {
        this.world = world;
        this.sites = sites;
        this.live = live;
        this.offers = offers;
        this.purse = purse;
        this.seen = seen;
        this.launches = launches;
    }

    /** Purchases whose site has a director by now. */
    public void advance(Instant now) {
        for (SiteState site : sites.all()) {
            SiteState.Wanted wanted = site.nextWanted();
            if (wanted == null) {
                continue;
            }
            if (sites.addressedDirector(site.plan.name()).isPresent()) {
                site.endWanted();
                try {
                    buy(site, wanted.purchase(), now);
                } catch (OrderRefused refused) {
                    LOG.warn("nodes asked for by hand are not launched: {}", refused.getMessage());
                }
            } else if (now.isAfter(wanted.since().plus(DIRECTOR_AWAITED))) {
                site.endWanted();
                LOG.warn("nodes asked for by hand are given up: site {} has no director", site.plan.name());
            }
        }
    }

    /** @return the nodes that are launched; none when the site's director has to come up first */
    public List<NodeRecord> add(NodePurchase purchase, Instant now) {
        SiteState site = sites.find(purchase.site());
        if (site == null) {
            throw new OrderRefused(
                    Kind.NOT_FOUND,
                    "there is no site '" + purchase.site() + "'",
                    "sites: " + String.join(", ", sites.names()));
        }
        if (sites.addressedDirector(site.plan.name()).isPresent()) {
            return buy(site, purchase, now);
        }
        offering(site, purchase, now);
        site.want(new SiteState.Wanted(purchase, now));
        return List.of();
    }

    private List<NodeRecord> buy(SiteState site, NodePurchase purchase, Instant now) {
        Offering offering = offering(site, purchase, now);
        Duration committedFor = purse.reservation(site.plan, Duration.ZERO);
        List<Entry> batch = new ArrayList<>();
        List<NodeRecord> nodes = new ArrayList<>();
        Launches.Terms terms = Launches.Terms.of(purchase.owner());
        for (Entry entry : launches.decision(
                site, offering, purchase.count(), NodeRecord.Role.NODE, committedFor, WHY, terms, now)) {
            if (entry instanceof NodeRecord node) {
                NodeRecord cared = node.withCare(new NodeRecord.Care(purchase.keep(), false));
                nodes.add(cared);
                batch.add(cared);
            } else {
                batch.add(entry);
            }
        }
        world.journal().commit(now, batch);
        LOG.info("launching {} x {}: {}", purchase.count(), offering.id(), WHY.text());
        return nodes;
    }

    /** The cheapest that is asked for, when nothing forbids it. */
    private Offering offering(SiteState site, NodePurchase purchase, Instant now) {
        String name = site.plan.name();
        if (!site.unusable().isNone()) {
            throw new OrderRefused(
                    Kind.CONFLICT,
                    new PlaceCause.SiteUnusable(name, site.unusable()).text(),
                    "'spillway doctor " + name + "' says how to repair it");
        }
        List<String> offered = types(site);
        if (offered.isEmpty()) {
            throw new OrderRefused(
                    Kind.CONFLICT,
                    "site " + name + " has not said yet what it offers",
                    "try again in a few seconds; when it stays so, 'spillway doctor " + name + "' says why");
        }
        Offering offering = offers.offerings(site).stream()
                .filter(one -> one.id().instanceType().equals(purchase.type())
                        && one.id().market() == purchase.market()
                        && (purchase.zone().isEmpty() || one.id().zone().equals(purchase.zone())))
                .min(Offering.CHEAPEST_FIRST)
                .orElseThrow(() -> new OrderRefused(
                        Kind.NO_OFFERING,
                        "site " + name + " does not offer " + purchase.type() + " as " + purchase.market()
                                + (purchase.zone().isEmpty() ? "" : " in zone " + purchase.zone()),
                        "it offers " + String.join(", ", offered)));
        int exist = live.count(name);
        int most = offers.most(site.plan);
        if (exist + purchase.count() > most) {
            throw new OrderRefused(
                    Kind.LIMIT,
                    "site " + name + " has " + exist + " of " + most + " nodes, " + purchase.count()
                            + " more are not allowed",
                    "raise maxNodes of the site, or ask for fewer");
        }
        if (offers.room(offering) < purchase.count()) {
            throw new OrderRefused(
                    Kind.LIMIT,
                    world.ports().workload().name() + " has room for " + offers.room(offering) + " more of "
                            + offering.id().instanceType() + " in site " + name,
                    "ask for fewer, or declare more (workload."
                            + world.ports().workload().name() + ".nodes)");
        }
        healthy(offering, purchase.count(), now);
        Money reserved = offering.pricePerHour()
                .perHourFor(purse.reservation(site.plan, Duration.ZERO))
                .times(purchase.count());
        Money left = purse.left(now);
        if (reserved.isMoreThan(left)) {
            throw new OrderRefused(
                    Kind.LIMIT,
                    "the budget has " + left + " left, these nodes would reserve " + reserved,
                    "raise the budget, or ask for fewer or cheaper nodes");
        }
        return offering;
    }

    private void healthy(Offering offering, int count, Instant now) {
        Optional<OfferingStatus> status =
                OfferingHealth.fold(
                                world.journal().launches(),
                                now,
                                seen.bootTimes().all())
                        .stream()
                        .filter(one -> one.id().equals(offering.id()))
                        .findFirst();
        if (status.isPresent() && !status.get().mayLaunchAt(now)) {
            throw new OrderRefused(
                    Kind.CONFLICT,
                    offering.id() + " was " + status.get().reason(),
                    status.get()
                            .retryAt()
                            .map(at -> "it may be asked again at " + at)
                            .orElse("try another one"));
        }
        if (status.isPresent() && status.get().launchBudget() < count) {
            throw new OrderRefused(
                    Kind.CONFLICT,
                    offering.id() + " recovers from a shortage, no more than "
                            + status.get().launchBudget() + " may be asked for at once",
                    "ask for fewer");
        }
    }

    private static List<String> types(SiteState site) {
        return site.offerings().stream()
                .map(one -> one.id().zone() + "/" + one.id().instanceType() + "/"
                        + one.id().market())
                .sorted()
                .toList();
    }

    /**
     * So many are left in time: those without a job go first, of them the newest. One with a job gets no other, and goes
     * when it is over.
     *
     * @return how many there still are
     */
    public int shrink(String site, int most, Instant now) {
        List<NodeRecord> all = live.nodes(site).stream()
                .filter(node -> !node.isDirector() && node.nodeState().mayCost())
                .toList();
        List<NodeRecord> staying = all.stream()
                .filter(node -> switch (node.nodeState()) {
                    case BOOTING, PROVISIONING, JOINING, READY, STOPPED -> true;
                    default -> false;
                })
                .sorted(Comparator.comparing(
                                (NodeRecord node) -> !live.runningOn(node.id()).isEmpty())
                        .thenComparing(Comparator.comparing(NodeRecord::since).reversed())
                        .thenComparing(NodeRecord::id))
                .toList();
        long going = all.stream().filter(ByHand::isGoing).count();
        long surplus = all.size() - going - most;
        staying.stream().limit(Math.max(0, surplus)).forEach(node -> {
            LOG.info("{} is to go: {} nodes are wanted", node.id(), most);
            remove(node, now);
        });
        return all.size();
    }

    private static boolean isGoing(NodeRecord node) {
        return switch (node.nodeState()) {
            case DRAINING -> !node.care().parked();
            case TERMINATING, UNREACHABLE, RECLAIMING -> true;
            default -> false;
        };
    }

    public NodeRecord change(String id, NodeAction action, Instant now) {
        if (action == NodeAction.REMOVE) {
            NodeRecord any = liveNode(id);
            return any.isDirector() ? removeDirector(any, now) : remove(any, now);
        }
        NodeRecord node = node(id);
        return switch (action) {
            case REMOVE -> remove(node, now);
            case DRAIN -> drain(node, now);
            case RESUME -> resume(node, now);
            case KEEP -> keep(node, true, now);
            case UNKEEP -> keep(node, false, now);
            case UNFIX -> unfix(node, now);
            case POWER_OFF -> powerOff(node, now);
            case POWER_ON -> powerOn(node, now);
        };
    }

    /** A node that something may be done to. */
    public NodeRecord node(String id) {
        NodeRecord node = liveNode(id);
        if (node.isDirector()) {
            throw new OrderRefused(
                    Kind.CONFLICT,
                    id + " is a director",
                    "it may be removed, and is ended by itself when its site has neither jobs nor nodes");
        }
        return node;
    }

    private NodeRecord liveNode(String id) {
        return world.journal()
                .node(id)
                .filter(NodeRecord::isLive)
                .orElseThrow(
                        () -> new OrderRefused(Kind.NOT_FOUND, "there is no node " + id, "spillway nodes lists them"));
    }

    /** Another is bought where one is needed. One that has never served has nothing of anybody's. */
    private NodeRecord removeDirector(NodeRecord director, Instant now) {
        return switch (director.nodeState()) {
            case READY, DRAINING -> {
                long nodes = live.nodes(director.site()).stream()
                        .filter(node -> !node.isDirector())
                        .count();
                boolean results = world.journal().jobs(JobState.STAGING_OUT).stream()
                        .anyMatch(job -> job.run().site().equals(director.site())
                                && !job.run().home());
                if (nodes > 0 || results) {
                    throw new OrderRefused(
                            Kind.CONFLICT,
                            director.id() + " is the director of "
                                    + (nodes > 0
                                            ? nodes + (nodes == 1 ? " node" : " nodes")
                                            : "results on their way home"),
                            nodes > 0 ? "remove its nodes first" : "wait until they are at home");
                }
                yield committed(director.to(NodeState.DRAINING, NodeFact.REMOVED_BY_HAND, now), now);
            }
            case BOOTING, PROVISIONING, JOINING ->
                committed(director.to(NodeState.TERMINATING, NodeFact.REMOVED_BY_HAND, now), now);
            case TERMINATING, UNREACHABLE -> director;
            default -> throw conflict(director, "be removed");
        };
    }

    private NodeRecord remove(NodeRecord node, Instant now) {
        NodeRecord free = node.withCare(NodeRecord.Care.NONE);
        return switch (node.nodeState()) {
            case READY, DRAINING -> drained(free.to(NodeState.DRAINING, NodeFact.REMOVED_BY_HAND, now), now);
            case BOOTING, PROVISIONING, JOINING, STOPPING, STOPPED, REPURPOSING ->
                committed(free.to(NodeState.TERMINATING, NodeFact.REMOVED_BY_HAND, now), now);
            case TERMINATING, UNREACHABLE -> node;
            case REQUESTED, LAUNCHING, RECLAIMING, TERMINATED, FAILED -> throw conflict(node, "be removed");
        };
    }

    private NodeRecord drain(NodeRecord node, Instant now) {
        return switch (node.nodeState()) {
            case READY, DRAINING ->
                drained(
                        node.withCare(new NodeRecord.Care(node.care().keep(), true))
                                .to(NodeState.DRAINING, NodeFact.DRAINED_BY_HAND, now),
                        now);
            default -> throw conflict(node, "be drained");
        };
    }

    private NodeRecord resume(NodeRecord node, Instant now) {
        NodeRecord serving = node.withCare(new NodeRecord.Care(node.care().keep(), false));
        return switch (node.nodeState()) {
            case READY -> node;
            case DRAINING -> {
                NodeRecord ready = committed(serving.to(NodeState.READY, NodeFact.RESUMED_BY_HAND, now), now);
                world.ports().workload().nodes().join(LiveNodes.joined(node));
                yield ready;
            }
            default -> throw conflict(node, "be resumed");
        };
    }

    private NodeRecord keep(NodeRecord node, boolean keep, Instant now) {
        return switch (node.nodeState()) {
            case TERMINATING, TERMINATED, UNREACHABLE, FAILED, RECLAIMING -> throw conflict(node, "be kept");
            default ->
                committed(
                        node.withCare(new NodeRecord.Care(
                                keep, node.care().parked(), node.care().next())),
                        now);
        };
    }

    /** The node stays what it is, until the scaler makes something else of it. */
    private NodeRecord unfix(NodeRecord node, Instant now) {
        NodeRecord.Profile next = node.care().next();
        NodeRecord free = next == null
                ? node
                : node.withCare(
                        new NodeRecord.Care(node.care().keep(), node.care().parked(), next.fixed(false)));
        return committed(free.as(node.profile().fixed(false)), now);
    }

    private NodeRecord powerOff(NodeRecord node, Instant now) {
        SiteState site = sites.of(node.site());
        if (site.plan.provider().power().isEmpty()) {
            throw new OrderRefused(
                    Kind.CONFLICT,
                    "the driver of site " + node.site() + " cannot stop nodes",
                    "remove it instead; another is launched when it is needed");
        }
        if (node.offering().market() == Market.SPOT) {
            throw new OrderRefused(
                    Kind.CONFLICT,
                    node.id() + " is a spot instance: providers end those and do not stop them",
                    "remove it instead; another is launched when it is needed");
        }
        List<JobRecord> running = live.runningOn(node.id());
        if (!running.isEmpty()) {
            throw new OrderRefused(
                    Kind.CONFLICT,
                    node.id() + " runs " + running.size() + (running.size() == 1 ? " job" : " jobs"),
                    "drain it, and power it off when they are over");
        }
        return switch (node.nodeState()) {
            case STOPPING, STOPPED -> node;
            case READY, DRAINING -> {
                // The policy leaves it to whoever said so.
                NodeRecord cared = node.withCare(new NodeRecord.Care(node.care().keep(), true));
                List<NodeRecord> off = Powering.off(cared, NodeFact.BY_HAND, now);
                world.ports().workload().nodes().drain(node.id(), off.getLast().reason());
                world.journal().commit(now, List.copyOf(off));
                yield off.getLast();
            }
            default -> throw conflict(node, "be powered off");
        };
    }

    private NodeRecord powerOn(NodeRecord node, Instant now) {
        return switch (node.nodeState()) {
            case READY, BOOTING, JOINING -> node;
            case STOPPED -> {
                seen.sights().mayBeStarted(node.id());
                yield committed(Powering.on(node, NodeFact.BY_HAND, now), now);
            }
            default -> throw conflict(node, "be powered on");
        };
    }

    private NodeRecord drained(NodeRecord node, Instant now) {
        world.ports().workload().nodes().drain(node.id(), node.reason());
        return committed(node, now);
    }

    private NodeRecord committed(NodeRecord node, Instant now) {
        world.journal().commit(now, node);
        return node;
    }

    static OrderRefused conflict(NodeRecord node, String what) {
        return new OrderRefused(
                Kind.CONFLICT,
                node.id() + " is " + node.nodeState() + " and cannot " + what + " now",
                "spillway nodes shows its state; try again when it has changed");
    }
}
