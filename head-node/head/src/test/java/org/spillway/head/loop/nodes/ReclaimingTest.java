package org.spillway.head.loop.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.api.NodeState;
import org.spillway.director.wire.Report.Notice;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.Purchase;
import org.spillway.head.loop.Samples;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;

/** A provider's notice, as a node has heard it. */
final class ReclaimingTest {
    private static final Offering SPOT =
            Offering.of(new OfferingId("east", "a", "small", Market.SPOT), Resources.of(4, 8, 0), Money.parse("1.20"));

    private static NodeRecord spot(NodeState state) {
        return NodeRecord.of(draft -> {
            draft.id = "n1";
            draft.site = "east";
            draft.intent = "i-n1";
            draft.nodeState = state;
            draft.since = Samples.NOW.minusSeconds(600);
            draft.purchase = Purchase.of(bought -> {
                bought.sold(SPOT);
                bought.from = Samples.NOW.minusSeconds(700);
            });
            draft.place = new NodeRecord.Place("instance-n1", "10.0.0.1", 22, "10.0.0.1");
            draft.joined = new NodeRecord.Joined("", "certificate", null);
        });
    }

    @Test
    void aNodeThatServesIsTakenBackOnceAndKeepsItsCause() {
        NodeRecord taken = Reclaiming.next(spot(NodeState.READY), new Notice(true, 7), Samples.NOW)
                .orElseThrow();
        assertThat(taken.nodeState()).isEqualTo(NodeState.RECLAIMING);
        assertThat(taken.cause()).isEqualTo(new NodeCause.Reclaimed(7));
        assertThat(taken.wasTakenBack()).isTrue();
        assertThat(Reclaiming.next(taken, new Notice(true, 8), Samples.NOW)).isEmpty();
        NodeRecord drained = spot(NodeState.READY).to(NodeState.DRAINING, NodeFact.IDLE, Samples.NOW);
        assertThat(Reclaiming.next(drained, new Notice(true, 7), Samples.NOW))
                .get()
                .extracting(NodeRecord::nodeState)
                .isEqualTo(NodeState.RECLAIMING);
    }

    @Test
    void aHintDrainsAndANoticeFollowsIt() {
        NodeRecord risky = Reclaiming.next(spot(NodeState.READY), new Notice(false, 7), Samples.NOW)
                .orElseThrow();
        assertThat(risky.nodeState()).isEqualTo(NodeState.DRAINING);
        assertThat(risky.cause()).isEqualTo(new NodeCause.AtRisk(7));
        assertThat(risky.wasTakenBack()).isFalse();
        assertThat(Reclaiming.next(risky, new Notice(false, 7), Samples.NOW)).isEmpty();
        assertThat(Reclaiming.next(risky, new Notice(true, 9), Samples.NOW))
                .get()
                .extracting(NodeRecord::cause)
                .isEqualTo(new NodeCause.Reclaimed(9));
    }

    @Test
    void whatIsNotSpotIsNotTakenBack() {
        assertThat(Reclaiming.next(Samples.node("n1", NodeState.READY), new Notice(true, 7), Samples.NOW))
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"READY", "DRAINING"})
    void whatDoesNotServeIsNotTakenBack(NodeState state) {
        assertThat(Reclaiming.next(spot(state), new Notice(true, 7), Samples.NOW))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, -1, Long.MAX_VALUE})
    void aTimeThatIsNonsenseCanBeSaid(long seconds) {
        NodeRecord taken = Reclaiming.next(spot(NodeState.READY), new Notice(true, seconds), Samples.NOW)
                .orElseThrow();
        assertThatCode(() -> taken.cause().text()).doesNotThrowAnyException();
    }
}
