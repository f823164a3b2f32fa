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
import org.spillway.head.loop.state.Context;
import org.spillway.head.loop.state.SiteState;
import org.spillway.policy.Money;

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

    private final Context context;

    public Powering(Context context) {
        this.context = context;
    }

    public void advance(Instant now) {
        context.sights.mayBeStartedIfBefore(now.minus(NOT_STARTED_AGAIN));
        for (NodeRecord node : context.liveNodes()) {
            if (isStoppedForTooLong(node, now)) {
                Cause why = new NodeCause.StoppedTooLong(context.site(node.site())
                        .plan
                        .nodes()
                        .idle()
                        .stoppedFor()
                        .toSeconds());
                LOG.info("ending {}: {}", node.id(), why.text());
                context.journal.commit(now, node.to(NodeState.TERMINATING, why, now));
                continue;
            }
            String id = node.instance();
            Instance instance =
                    id == null ? null : context.site(node.site()).seen.get(id);
            if (id != null && instance != null) {
                switch (node.nodeState()) {
                    case STOPPING -> stop(node, id, instance.state(), now);
                    case BOOTING -> {
                        if (wasPoweredOn(node) && instance.state() == Instance.State.STOPPED) {
                            start(node, id, now);
                        }
                    }
                    default -> {}
                }
            }
        }
    }

    private boolean isStoppedForTooLong(NodeRecord node, Instant now) {
        IdleNodes idle = context.site(node.site()).plan.nodes().idle();
        return node.nodeState() == NodeState.STOPPED
                && !node.care().parked()
                && !context.isStanding(node)
                && now.isAfter(node.since().plus(idle.stoppedFor()));
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

    private void stop(NodeRecord node, String instance, Instance.State state, Instant now) {
        if (state == Instance.State.STOPPED) {
            Money price = context.site(node.site())
                    .plan
                    .nodes()
                    .idle()
                    .stoppedPrices()
                    .get(node.offering().instanceType());
            NodeRecord stopped = node.to(NodeState.STOPPED, node.cause(), now);
            context.journal.commit(now, price == null ? stopped : stopped.stoppedAt(price, now));
            context.ports.workload().nodes().leave(node.id());
        } else if (state == Instance.State.RUNNING || state == Instance.State.PENDING) {
            call(node, "stop:", power -> power.stop(List.of(instance)), now, failure -> {});
        }
    }

    private void start(NodeRecord node, String instance, Instant now) {
        call(
                node,
                "start:",
                power -> power.start(List.of(instance)),
                now,
                failure -> context.journal
                        .node(node.id())
                        .filter(Powering::wasPoweredOn)
                        .ifPresent(found -> {
                            context.sights.notStarted(node.id(), now);
                            context.journal.commit(
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
        SiteState site = context.site(node.site());
        if (site.plan.provider().power().isPresent() && context.mayAskAgain(key, now, BETWEEN_CALLS)) {
            Power power = site.plan.provider().power().get();
            context.ports
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
