package org.spillway.head.loop.nodes;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.WaitCause;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.state.Context;
import org.spillway.policy.Money;
import org.spillway.scaler.plan.Step;

/**
 * Makes another of a node that exists. What it is to be lies in the journal before anybody is told; the node leaves service
 * with that commit, is told by directives until it says that it passed its gate in that turn, and is ended when it does not
 * in time. So it is never both, whatever dies on the way.
 */
public final class Repurposing {
    private static final Logger LOG = LoggerFactory.getLogger(Repurposing.class);

    private final Context context;

    public Repurposing(Context context) {
        this.context = context;
    }

    /** @return what it reserves; zero when it is not done */
    public Money change(
            Step.Repurpose step, Map<String, List<JobRecord>> byShape, Money left, List<Entry> batch, Instant now) {
        NodeRecord node = context.journal.node(step.node()).orElse(null);
        if (node == null || node.costFrom() == null || !mayChange(node, batch)) {
            return Money.ZERO;
        }
        List<JobRecord> jobs = step.shapes().stream()
                .flatMap(shape -> byShape.getOrDefault(shape, List.of()).stream())
                .toList();
        Duration walltime = jobs.stream()
                .map(job -> job.spec().walltime())
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
        TurnsByHand.Reservation reservation = TurnsByHand.Reservation.of(context, node, walltime, now);
        Money reserved = reservation.more();
        if (reserved.isMoreThan(left)) {
            jobs.forEach(job ->
                    context.waits.put(job.id(), new WaitCause.Budget(left, reserved, WaitCause.Purpose.REPURPOSING)));
            return Money.ZERO;
        }
        NodeRecord.Holders holders = jobs.isEmpty() ? node.heldNow() : context.capping.holders(jobs);
        begin(
                reservation.node().heldBy(holders, now),
                node.profile()
                        .turnedInto(step.category(), context.settings.roles().overlays(step.category())),
                new NodeCause.Repurposed(step.category(), new NodeCause.Planned(step.reason())),
                batch,
                now);
        jobs.forEach(job -> context.waits.put(job.id(), new WaitCause.NodeRepurposed(node.id())));
        return reserved;
    }

    public void change(Step.Overlay step, List<Entry> batch, Instant now) {
        context.journal
                .node(step.node())
                .filter(node -> mayChange(node, batch))
                .ifPresent(node -> begin(
                        node,
                        overlaid(node.profile(), step.overlay(), step.join()),
                        new NodeCause.Overlaid(step.overlay(), step.join(), new NodeCause.Planned(step.reason())),
                        batch,
                        now));
    }

    static NodeRecord.Profile overlaid(NodeRecord.Profile profile, String overlay, boolean join) {
        List<String> overlays = new ArrayList<>(profile.overlays());
        overlays.remove(overlay);
        if (join) {
            overlays.add(overlay);
        }
        return profile.turnedInto(profile.category(), overlays);
    }

    private void begin(NodeRecord node, NodeRecord.Profile next, Cause why, List<Entry> batch, Instant now) {
        LOG.info("{}: {}", node.id(), why.text());
        context.ports.workload().nodes().drain(node.id(), why.text());
        batch.add(node.repurposed(next, why, now));
    }

    /** An administrator may have been there since it was decided. */
    private boolean mayChange(NodeRecord node, List<Entry> batch) {
        return context.isFree(node) && !node.profile().fixed() && !isTaken(node, batch);
    }

    private static boolean isTaken(NodeRecord node, List<Entry> batch) {
        return batch.stream()
                .anyMatch(
                        entry -> entry instanceof NodeRecord other && other.id().equals(node.id()));
    }
}
