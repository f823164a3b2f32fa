package org.spillway.head.loop.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.cause.SiteCause;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.lifecycle.Contact;
import org.spillway.head.lifecycle.NodeTable;
import org.spillway.head.lifecycle.NodeVerdict;
import org.spillway.head.lifecycle.Sight;

/** M10: TERMINATED nodes lost their reason. */
final class NodeReasonsTest {
    private static final Instant NOON = Instant.parse("2026-11-23T12:00:00Z");

    private static NodeRecord node(NodeRecord.Role role, NodeState state, Cause why) {
        return NodeRecord.of(draft -> {
            draft.id = "n";
            draft.site = "east";
            draft.role = role;
            draft.nodeState = state;
            draft.cause = why;
            draft.since = NOON;
        });
    }

    private static Cause after(NodeRecord node, Sight sight, Contact contact, Cause director) {
        NodeVerdict verdict = NodeTable.verdict(node.nodeState(), sight, contact, false, node.isDirector());
        return NodeReasons.of(node, verdict, director);
    }

    @Test
    void theFirstReasonStaysToTheEnd() {
        for (Cause why : new Cause[] {
            NodeFact.REMOVED_BY_HAND, NodeFact.OVER_BUDGET, NodeFact.NOT_UP_IN_TIME, new NodeCause.Planned("too many")
        }) {
            NodeRecord node = node(NodeRecord.Role.NODE, NodeState.TERMINATING, why);
            assertThat(after(node, Sight.GONE, Contact.EXPIRED, Cause.NONE)).isEqualTo(why);
            NodeRecord draining = node(NodeRecord.Role.NODE, NodeState.DRAINING, why);
            assertThat(after(draining, Sight.RUNNING, Contact.WELL, Cause.NONE)).isEqualTo(why);
        }
        NodeRecord plain = node(NodeRecord.Role.NODE, NodeState.DRAINING, Cause.NONE);
        assertThat(after(plain, Sight.RUNNING, Contact.WELL, Cause.NONE)).isEqualTo(NodeFact.DRAINED);
    }

    @Test
    void whatItsProviderTookBackWasTakenBackHoweverItEnded() {
        Cause notice = new NodeCause.Reclaimed(7);
        NodeRecord node = node(NodeRecord.Role.NODE, NodeState.RECLAIMING, notice);
        assertThat(after(node, Sight.RUNNING, Contact.WELL, Cause.NONE)).isEqualTo(notice);
        assertThat(after(node, Sight.ENDING, Contact.WELL, Cause.NONE)).isEqualTo(notice);
        assertThat(after(node, Sight.RUNNING, Contact.SILENT, Cause.NONE)).isEqualTo(notice);
        assertThat(after(node, Sight.GONE, Contact.SILENT, Cause.NONE)).isEqualTo(notice);
    }

    /** C2: that a lock kept it for a while is over with its end. */
    @Test
    void anEndThatWasRefusedForAWhileSaysWhatItWasFor() {
        NodeRecord node = node(
                NodeRecord.Role.NODE, NodeState.TERMINATING, new NodeCause.NotEnded(NodeFact.IDLE, "ScopeLocked: no"));
        assertThat(after(node, Sight.GONE, Contact.EXPIRED, Cause.NONE)).isEqualTo(NodeFact.IDLE);
        assertThat(node.cause().all()).contains(NodeFact.IDLE);
    }

    @Test
    void aDirectorThatNeverServedSaysWhyAsFarAsItIsKnown() {
        Cause said = new SiteCause.DirectorNotInstalled("no java");
        NodeRecord director = node(NodeRecord.Role.DIRECTOR, NodeState.PROVISIONING, Cause.NONE);
        assertThat(after(director, Sight.RUNNING, Contact.OVERDUE, said))
                .isEqualTo(new NodeCause.DirectorFailed(NodeFact.NOT_READY_IN_TIME, said));
        Cause before = new NodeCause.DirectorFailed(NodeFact.NOT_UP_IN_TIME, said);
        assertThat(after(director, Sight.RUNNING, Contact.OVERDUE, before))
                .as("that was another director's")
                .isEqualTo(NodeFact.NOT_READY_IN_TIME);
        NodeRecord node = node(NodeRecord.Role.NODE, NodeState.JOINING, Cause.NONE);
        assertThat(after(node, Sight.RUNNING, Contact.OVERDUE, said)).isEqualTo(NodeFact.NOT_READY_IN_TIME);
    }
}
