package org.spillway.head.loop.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.spillway.api.NodeState;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Isolation;
import org.spillway.director.wire.Report;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.lifecycle.Contact;
import org.spillway.head.lifecycle.NodeTable;
import org.spillway.head.lifecycle.NodeVerdict;
import org.spillway.head.lifecycle.Sight;
import org.spillway.head.rollout.DriftTerms.Policy;

/** I1, S8: a node that cannot keep jobs apart, or that lacks what its gate wants, says so, and what is said is a cause. */
final class GateWordsTest {
    private static final Report.GateCheck GPUS = new Report.GateCheck("gpus", false, "0 counted");
    private static final Report.GateCheck LACKS = new Report.GateCheck(Isolation.LACKS, true, "own devices");

    private static NodeVerdict after(Contact contact, Report.GateCheck... gate) {
        return after(NodeState.JOINING, contact, gate);
    }

    private static NodeVerdict after(NodeState state, Contact contact, Report.GateCheck... gate) {
        return after(Policy.REPORT, state, contact, gate);
    }

    private static NodeVerdict after(Policy drift, NodeState state, Contact contact, Report.GateCheck... gate) {
        var table = NodeTable.verdict(state, Sight.RUNNING, contact, false, false);
        var heard = new Report.NodeReport("n", 0, contact == Contact.WELL, "", List.of(gate), null, null);
        return GateWords.judged(state, table, contact, heard, drift);
    }

    @Test
    void aRootThatIsNotItsVersionDrainsItsNodeByPolicyAndOneThatCouldNotBeLookedAtNever() {
        var differs = drift("differs 2 /opt/a");
        var cause = new NodeCause.Drifted("2 files, the first /opt/a");
        assertThat(after(Policy.DRAIN, NodeState.READY, Contact.WELL, differs))
                .isEqualTo(new NodeVerdict(NodeState.DRAINING, false, false, cause));
        assertThat(after(Policy.REPORT, NodeState.READY, Contact.WELL, differs).next())
                .isEqualTo(NodeState.READY);
        assertThat(after(Policy.REPAIR, NodeState.READY, Contact.WELL, differs).next())
                .as("the node repairs it")
                .isEqualTo(NodeState.READY);
        assertThat(after(Policy.REPAIR, NodeState.READY, Contact.WELL, drift("unrepaired 1 /opt/a: not fetched")))
                .isEqualTo(new NodeVerdict(
                        NodeState.DRAINING,
                        false,
                        false,
                        new NodeCause.Drifted("not repaired: 1 file, /opt/a: not fetched")));
        for (Policy policy : Policy.values()) {
            for (String said : List.of("unknown the manifest is not here", "repairing 1 /opt/a", "same -", "")) {
                assertThat(after(policy, NodeState.READY, Contact.WELL, drift(said))
                                .next())
                        .as(policy + " " + said)
                        .isEqualTo(NodeState.READY);
            }
        }
    }

    private static Report.GateCheck drift(String said) {
        return new Report.GateCheck(Directive.Drift.CHECK, said.startsWith("same"), said);
    }

    @Test
    void aNodeWithProcessesThatCannotBeEndedGetsNoMoreJobsAndIsEndedWhenItsLastIsOver() {
        var left = new Report.GateCheck(Isolation.LEFT, false, "1 processes of 7 cannot be ended");
        var verdict = after(NodeState.READY, Contact.WELL, left);
        assertThat(verdict)
                .isEqualTo(new NodeVerdict(
                        NodeState.DRAINING, false, false, new NodeCause.GateFailed(left.name(), left.detail())));
        assertThat(after(NodeState.DRAINING, Contact.WELL, left).next()).isEqualTo(NodeState.TERMINATING);
        assertThat(after(NodeState.READY, Contact.SILENT, left).next()).isEqualTo(NodeState.UNREACHABLE);
    }

    @Test
    void aSickNodeGetsNoMoreJobsAndItsReasonIsWhatItFound() {
        var sick = new Report.GateCheck(Report.GateCheck.HEALTH, false, "health.d/nhc: ERROR: /scratch not mounted");
        var verdict = after(NodeState.READY, Contact.WELL, sick);
        assertThat(verdict)
                .isEqualTo(new NodeVerdict(NodeState.DRAINING, false, false, new NodeCause.Sick(sick.detail())));
        assertThat(after(NodeState.DRAINING, Contact.WELL, sick).next())
                .as("nobody's: it ends")
                .isEqualTo(NodeState.TERMINATING);
        assertThat(after(Contact.POORLY, sick).next()).as("at its gate").isEqualTo(NodeState.JOINING);
        assertThat(after(Contact.OVERDUE, sick).cause()).isEqualTo(new NodeCause.Sick(sick.detail()));
        assertThat(after(NodeState.READY, Contact.SILENT, sick).next()).isEqualTo(NodeState.UNREACHABLE);
    }

    @Test
    void whoCannotIsolateWhereThatIsRequiredIsEndedAtOnceAndTheCauseSaysWhatIsMissing() {
        var verdict = after(Contact.POORLY, GPUS, new Report.GateCheck(Isolation.CHECK, false, "no memory"));
        assertThat(verdict.next()).isEqualTo(NodeState.TERMINATING);
        assertThat(verdict.terminate()).isTrue();
        assertThat(verdict.cause()).isEqualTo(new NodeCause.GateFailed(Isolation.CHECK, "no memory"));
    }

    @Test
    void anotherCheckThatFailsIsTriedAgainAndToldAtTheEnd() {
        assertThat(after(Contact.POORLY, GPUS).next()).isEqualTo(NodeState.JOINING);
        assertThat(after(Contact.OVERDUE, GPUS).cause()).isEqualTo(new NodeCause.GateFailed("gpus", "0 counted"));
        assertThat(after(Contact.OVERDUE).cause()).isEqualTo(NodeFact.NOT_READY_IN_TIME);
    }

    @Test
    void aDaemonThatDoesNotStartIsWhatRefusesTheNode() {
        var slurmd = new Report.GateCheck("slurm", false, "slurmd has ended: no /dev/nvidia0");
        assertThat(refused(false, GPUS, slurmd))
                .contains(new NodeCause.GateFailed("slurm", "slurmd has ended: no /dev/nvidia0"));
        assertThat(refused(false, GPUS)).isEmpty();
        assertThat(refused(true, slurmd)).isEmpty();
        assertThat(GateWords.refused("another", List.of(), "slurm")).isEmpty();
    }

    private static Optional<NodeCause> refused(boolean ready, Report.GateCheck... gate) {
        return GateWords.refused(
                "n", List.of(new Report.NodeReport("n", 0, ready, "", List.of(gate), null, null)), "slurm");
    }

    @Test
    void whatIsPreferredAndLackingIsToldOfANodeThatServesAndEndsNone() {
        var verdict = after(Contact.WELL, LACKS);
        assertThat(verdict.next()).isEqualTo(NodeState.READY);
        assertThat(verdict.cause()).isEqualTo(new NodeCause.NotIsolated("own devices"));
        assertThat(NodeReasons.first(verdict.cause())).isEqualTo(Cause.NONE);
        assertThat(after(Contact.WELL).cause()).isEqualTo(Cause.NONE);
    }
}
