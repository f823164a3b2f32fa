package org.spillway.head.loop.nodes;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.spillway.api.NodeState;
import org.spillway.director.wire.Isolation;
import org.spillway.director.wire.Report;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.lifecycle.Contact;
import org.spillway.head.lifecycle.NodeVerdict;
import org.spillway.head.loop.state.Drifted;
import org.spillway.head.rollout.DriftTerms.Policy;
import org.spillway.head.rollout.DriftWord;

/** The checks of a node's gate, as far as they say why the node is in its state. Pure. */
final class GateWords {
    private GateWords() {}

    /**
     * The table's verdict, or a better founded one: a node that cannot keep jobs apart, where that is required, will not learn
     * it by waiting, and whoever reads that it was not ready in time wants to know which check kept it.
     *
     * @param drift what follows where its root differs from its version
     * @param contact where it is {@link Contact#POORLY}, the report's words are about this life of the node
     */
    static NodeVerdict judged(
            NodeRecord node, NodeVerdict table, Contact contact, @Nullable Report report, Policy drift) {
        if (report == null || node.isDirector()) {
            return table;
        }
        return report.nodes().stream()
                .filter(heard -> heard.node().equals(node.id()))
                .findFirst()
                .map(heard -> judged(node.nodeState(), table, contact, heard, drift))
                .orElse(table);
    }

    /** A finding of a node that serves, for which it gets no more jobs. */
    private static Optional<NodeCause> unfit(Report.NodeReport heard, Policy drift) {
        DriftWord root = Drifted.of(heard.gate());
        return root.drains(drift) ? Optional.of(new NodeCause.Drifted(root.text())) : unfit(heard);
    }

    private static Optional<NodeCause> unfit(Report.NodeReport heard) {
        return heard.gate().stream()
                .filter(check -> !check.passed())
                .filter(check ->
                        check.name().equals(Isolation.LEFT) || check.name().equals(Report.GateCheck.HEALTH))
                .findFirst()
                .map(GateWords::cause);
    }

    /** @param heard of this life of it, where contact is {@link Contact#POORLY} */
    static NodeVerdict judged(
            NodeState state, NodeVerdict table, Contact contact, Report.NodeReport heard, Policy drift) {
        var unfit = unfit(heard, drift);
        if (unfit.isPresent() && state == NodeState.READY && table.next() == NodeState.READY && !table.terminate()) {
            // Memory and GPUs of what cannot be ended there are nobody else's; a sick machine is nobody's.
            return new NodeVerdict(NodeState.DRAINING, false, false, unfit.get());
        }
        if (contact == Contact.POORLY && !table.terminate()) {
            return failed(heard)
                    .filter(check -> check.name().equals(Isolation.CHECK))
                    .map(check -> new NodeVerdict(NodeState.TERMINATING, true, false, cause(check)))
                    .orElse(table);
        }
        Optional<Report.GateCheck> failed = failed(heard);
        if (table.cause() == NodeFact.NOT_READY_IN_TIME && failed.isPresent()) {
            return new NodeVerdict(table.next(), table.terminate(), table.requeue(), cause(failed.get()));
        }
        return table.next() == NodeState.READY && table.cause().isNone()
                ? new NodeVerdict(NodeState.READY, table.terminate(), table.requeue(), lacking(heard))
                : table;
    }

    /**
     * The obstacle that keeps the workload manager's daemon from starting on a node that has passed its gate; empty for nothing.
     *
     * @param manager whose name the check bears
     */
    static Optional<NodeCause> refused(String node, List<Report.NodeReport> heard, String manager) {
        return heard.stream()
                .filter(each -> each.node().equals(node) && !each.ready())
                .flatMap(each -> each.gate().stream())
                .filter(check -> !check.passed() && check.name().equals(manager))
                .findFirst()
                .map(GateWords::cause);
    }

    private static Optional<Report.GateCheck> failed(Report.NodeReport heard) {
        var all = heard.gate().stream().filter(check -> !check.passed()).toList();
        return all.stream()
                .filter(check -> check.name().equals(Isolation.CHECK))
                .findFirst()
                .or(() -> all.stream().findFirst());
    }

    static NodeCause cause(Report.GateCheck check) {
        return check.name().equals(Report.GateCheck.HEALTH)
                ? new NodeCause.Sick(check.detail())
                : new NodeCause.GateFailed(check.name(), check.detail());
    }

    private static Cause lacking(Report.NodeReport heard) {
        return heard.gate().stream()
                .filter(check -> check.name().equals(Isolation.LACKS))
                .findFirst()
                .<Cause>map(check -> new NodeCause.NotIsolated(check.detail()))
                .orElse(Cause.NONE);
    }
}
