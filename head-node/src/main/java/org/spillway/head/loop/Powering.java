package org.spillway.head.loop;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Power;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.lifecycle.NodeState;

/**
 * Stops and starts instances until it is so. What is wanted lies in the journal as the node's state: {@code STOPPING}, or
 * {@code BOOTING} of a node that had joined before. A stopped node's price counts on: what a provider still charges for
 * its disk is not known here, and an estimate must not be below the bill.
 */
final class Powering {
    private static final Logger LOG = LoggerFactory.getLogger(Powering.class);
    private static final Duration BETWEEN_CALLS = Duration.ofSeconds(3);

    private final Context context;

    Powering(Context context) {
        this.context = context;
    }

    void advance(Instant now) {
        for (NodeRecord node : context.liveNodes()) {
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

    /** It joined before, so it boots for the second time. */
    static boolean wasPoweredOn(NodeRecord node) {
        return node.nodeState() == NodeState.BOOTING
                && !node.certificate().isEmpty()
                && node.reason().startsWith("powered on");
    }

    private void stop(NodeRecord node, String instance, Instance.State state, Instant now) {
        if (state == Instance.State.STOPPED) {
            context.journal.commit(now, node.to(NodeState.STOPPED, node.reason(), now));
            context.ports.workload().leave(node.id());
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
                        .ifPresent(found -> context.journal.commit(
                                now,
                                found.to(
                                        NodeState.STOPPING, "it could not be started: " + failure.getMessage(), now))));
    }

    private interface Call {
        void on(Power power) throws Exception;
    }

    private interface Failed {
        void because(Exception failure);
    }

    private void call(NodeRecord node, String what, Call call, Instant now, Failed failed) {
        String key = what + node.id();
        SiteState site = context.site(node.site());
        if (site.plan.power().isPresent() && context.mayAskAgain(key, now, BETWEEN_CALLS)) {
            Power power = site.plan.power().get();
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
