package org.spillway.head.loop.nodes;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.NodeState;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Power;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.settings.IdleNodes;
import org.spillway.head.loop.state.LiveNodes;
import org.spillway.head.loop.state.NodeMemory;
import org.spillway.head.loop.state.SiteState;
import org.spillway.head.loop.state.Sites;
import org.spillway.head.loop.state.World;

/**
 * Stops and starts instances until it is so. What is wanted lies in the journal as the node's state: {@code STOPPING}, or
 * {@code BOOTING} of a node that had joined before. A stopped node's price counts on where nobody has said what a provider
 * still charges for it ({@link IdleNodes#stoppedPrices}).
 */
public final class Powering {
    private static final Logger LOG = LoggerFactory.getLogger(Powering.class);
    private static final Duration BETWEEN_CALLS = Duration.ofSeconds(3);
    /** A node that could not be started is not asked for again so soon: others are launched instead. */
    private static final Duration NOT_STARTED_AGAIN = Duration.ofMinutes(5);

    private final World world;
    private final Sites sites;
    private final LiveNodes live;
    private final NodeMemory seen;

    public Powering(World world, Sites sites, LiveNodes live, NodeMemory seen) {
        this.world = world;
        this.sites = sites;
        this.live = live;
        this.seen = seen;
    }

    public void advance(Instant now) {
        seen.sights().mayBeStartedIfBefore(now.minus(NOT_STARTED_AGAIN));
        live.nodes().forEach(node -> advance(node, now));
    }

    private void advance(NodeRecord node, Instant now) {
        SiteState site = sites.of(node.site());
        String id = node.instance();
        Instance instance = id == null ? null : site.seen(id);
        boolean stays = node.nodeState() == NodeState.STOPPED && live.isStanding(node);
        Instance.State state = instance == null ? null : instance.state();
        switch (PowerStep.of(node, state, stays, site.plan.nodes().idle(), now)) {
            case PowerStep.Rest rest -> {}
            case PowerStep.End(NodeRecord next) -> {
                LOG.info("ending {}: {}", node.id(), next.reason());
                world.journal().commit(now, next);
            }
            case PowerStep.Stopped(NodeRecord next) -> {
                world.journal().commit(now, next);
                world.ports().workload().nodes().leave(node.id());
            }
            case PowerStep.CallStop(String stopped) ->
                call(node, "stop:", power -> power.stop(List.of(stopped)), now, failure -> {});
            case PowerStep.CallStart(String started) -> start(node, started, now);
        }
    }

    /**
     * The node gets no further jobs and is stopped; nothing runs on it. Both are to be committed, and the manager told.
     */
    public static List<NodeRecord> off(NodeRecord node, Cause why, Instant now) {
        NodeRecord draining = node.to(NodeState.DRAINING, new NodeCause.PoweredOff(why), now);
        return List.of(draining, draining.to(NodeState.STOPPING, draining.cause(), now));
    }

    /** The node is started again; {@link NodeState#STOPPED} before. */
    public static NodeRecord on(NodeRecord node, Cause why, Instant now) {
        return node.startedAt(now)
                .withCare(new NodeRecord.Care(node.care().keep(), false))
                .to(NodeState.BOOTING, new NodeCause.PoweredOn(why), now);
    }

    /** The node joined before, so it boots for the second time. */
    static boolean wasPoweredOn(NodeRecord node) {
        return node.nodeState() == NodeState.BOOTING
                && !node.certificate().isEmpty()
                && node.cause() instanceof NodeCause.PoweredOn;
    }

    private void start(NodeRecord node, String instance, Instant now) {
        call(
                node,
                "start:",
                power -> power.start(List.of(instance)),
                now,
                failure -> world.journal()
                        .node(node.id())
                        .filter(Powering::wasPoweredOn)
                        .ifPresent(found -> {
                            seen.sights().notStarted(node.id(), now);
                            world.journal()
                                    .commit(
                                            now,
                                            found.to(
                                                    NodeState.STOPPING,
                                                    new NodeCause.NotStarted(String.valueOf(failure.getMessage())),
                                                    now));
                        }));
    }

    private interface Call {
        public void on(Power power) throws Exception;
    }

    private interface Failed {
        void because(Exception failure);
    }

    private void call(NodeRecord node, String what, Call call, Instant now, Failed failed) {
        String key = what + node.id();
        SiteState site = sites.of(node.site());
        if (site.plan.provider().power().isPresent() && world.calls().mayAskAgain(key, now, BETWEEN_CALLS)) {
            Power power = site.plan.provider().power().get();
            world.ports()
                    .effects()
                    .begin(
                            key,
                            () -> {
                                call.on(power);
                                return true;
                            },
                            done -> {},
                            failure -> {
                                LOG.warn("{}: {} failed: {}", node.id(), what, failure.getMessage());
                                failed.because(failure);
                            });
        }
    }
}
