package org.spillway.head.loop.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.spillway.api.NodeState;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.Samples;

/** Nodes that the manager's administrators keep from jobs are away, and come back when they are given back. */
final class WithholdingTest {
    @Test
    void aNodeIsAwayForAsLongAsTheyKeepIt() {
        NodeRecord ready = Samples.node("n1", NodeState.READY);
        assertThat(Withholding.next(ready, "", Samples.NOW)).isEmpty();
        NodeRecord kept = Withholding.next(ready, "under repair", Samples.NOW).orElseThrow();
        assertThat(kept.nodeState()).isEqualTo(NodeState.DRAINING);
        assertThat(kept.care().parked()).isTrue();
        assertThat(kept.cause()).isEqualTo(new NodeCause.Withheld("under repair"));
        assertThat(Withholding.next(kept, "under repair", Samples.NOW)).isEmpty();
        NodeRecord back = Withholding.next(kept, "", Samples.NOW).orElseThrow();
        assertThat(back.nodeState()).isEqualTo(NodeState.READY);
        assertThat(back.care().parked()).isFalse();
        assertThat(back.cause()).isEqualTo(NodeFact.GIVEN_BACK);
    }

    @Test
    void whatTheHeadOrItsAdministratorsDrainStaysDrained() {
        NodeRecord idle = Samples.node("n1", NodeState.READY).to(NodeState.DRAINING, NodeFact.IDLE, Samples.NOW);
        assertThat(Withholding.next(idle, "", Samples.NOW)).isEmpty();
        NodeRecord byHand = idle.withCare(new NodeRecord.Care(false, true))
                .to(NodeState.DRAINING, NodeFact.DRAINED_BY_HAND, Samples.NOW);
        assertThat(Withholding.next(byHand, "", Samples.NOW)).isEmpty();
    }
}
