package org.spillway.head.loop.nodes;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.spillway.api.NodeState;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.journal.Entry;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.OutcomeEntry;
import org.spillway.head.loop.state.World;
import org.spillway.scaler.plan.Breakers.Fault;
import org.spillway.scaler.plan.Breakers.NodeOutcome;
import org.spillway.scaler.plan.Breakers.Stage;

/** Writes down how far each node has come, with the step of the node that it is about. */
public final class Outcomes {
    private static final int MOST_MESSAGE = 200;

    private final World world;
    private final HealthFaults faults;

    Outcomes(World world, HealthFaults faults) {
        this.world = world;
        this.faults = faults;
    }

    /** Outcomes that a launch for jobs that wait begins with. */
    public static List<Entry> ordered(List<Entry> launched, Instant now) {
        return launched.stream()
                .filter(NodeRecord.class::isInstance)
                .map(NodeRecord.class::cast)
                .<Entry>map(node -> new OutcomeEntry(
                        node.id(), new NodeOutcome(now, node.offering(), Stage.ORDERED, "", node.id(), "", null), true))
                .toList();
    }

    /** Whether it has never joined. */
    boolean isNew(NodeRecord node) {
        return !isAfterJoin(world.journal().outcome(node.id()).orElse(null));
    }

    /** The outcome that a step of a node tells of; empty when nothing new. */
    Optional<OutcomeEntry> moved(NodeRecord before, NodeRecord next, Instant now) {
        // An offering is not to blame for what became of a director.
        if (next.isDirector() || next.cause() == NodeCause.NodeFact.DIRECTOR_REPLACED) {
            return Optional.empty();
        }
        OutcomeEntry known = world.journal().outcome(next.id()).orElse(null);
        if (isArriving(before.nodeState())) {
            return switch (next.nodeState()) {
                case READY -> isAfterJoin(known) ? Optional.empty() : outcome(next, known, Stage.JOINED, "", now);
                case TERMINATING, TERMINATED, FAILED, UNREACHABLE ->
                    isAfterJoin(known) ? Optional.empty() : failed(before, next, known, now);
                default -> Optional.empty();
            };
        }
        boolean refused = before.nodeState() == NodeState.READY
                && next.nodeState() == NodeState.TERMINATING
                && next.cause() instanceof NodeCause.GateFailed
                && (known == null || known.outcome().stage() != Stage.USED);
        if (refused) {
            return outcome(next, known, Stage.REFUSED, plain(next.reason()), now);
        }
        if (known != null && known.outcome().fault() == null) {
            Fault fault = faults.of(before, next, now).orElse(null);
            if (fault != null) {
                NodeOutcome had = known.outcome();
                NodeOutcome has = new NodeOutcome(
                        had.at(), had.offering(), had.stage(), had.message(), next.id(), faults.host(next), fault);
                return Optional.of(new OutcomeEntry(next.id(), has, known.forJobs()));
            }
        }
        boolean unused = next.nodeState().isTerminal()
                && known != null
                && known.forJobs()
                && known.outcome().stage() == Stage.JOINED
                && world.waiting().stream().anyMatch(job -> wants(job, next));
        return unused ? outcome(next, known, Stage.UNUSED, "", now) : Optional.empty();
    }

    /** The outcome that a node has a job; empty when that is known. */
    Optional<OutcomeEntry> used(NodeRecord node, Instant now) {
        OutcomeEntry known = world.journal().outcome(node.id()).orElse(null);
        boolean isNew = known != null && known.outcome().stage() != Stage.USED;
        return isNew ? outcome(node, known, Stage.USED, "", now) : Optional.empty();
    }

    private static boolean isArriving(NodeState state) {
        return state == NodeState.BOOTING || state == NodeState.PROVISIONING || state == NodeState.JOINING;
    }

    /** A node that was powered off and on again is not new. */
    private static boolean isAfterJoin(@Nullable OutcomeEntry known) {
        return known != null && known.outcome().stage() != Stage.ORDERED;
    }

    private static boolean wants(JobRecord job, NodeRecord node) {
        return job.run().site().equals(node.site()) && job.spec().resources().fitsIn(node.resources());
    }

    private Optional<OutcomeEntry> failed(
            NodeRecord before, NodeRecord next, @Nullable OutcomeEntry known, Instant now) {
        return Optional.of(entry(
                next,
                known,
                Stage.FAILED,
                plain(next.reason()),
                faults.of(before, next, now).orElse(null),
                now));
    }

    private Optional<OutcomeEntry> outcome(
            NodeRecord node, @Nullable OutcomeEntry known, Stage stage, String message, Instant now) {
        return Optional.of(entry(
                node,
                known,
                stage,
                message,
                known == null ? null : known.outcome().fault(),
                now));
    }

    private OutcomeEntry entry(
            NodeRecord node,
            @Nullable OutcomeEntry known,
            Stage stage,
            String message,
            @Nullable Fault fault,
            Instant now) {
        String host = faults.host(node);
        return new OutcomeEntry(
                node.id(),
                new NodeOutcome(
                        now,
                        node.offering(),
                        stage,
                        message,
                        node.id(),
                        host.isEmpty() && known != null ? known.outcome().host() : host,
                        fault),
                known != null && known.forJobs());
    }

    /** The reason as a bounded line: it goes to terminals. */
    static String plain(String reason) {
        String line = reason.replaceAll("\\p{Cntrl}+", " ").strip();
        return line.length() <= MOST_MESSAGE ? line : line.substring(0, MOST_MESSAGE) + "...";
    }
}
