package org.spillway.head.loop.money;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.Purchase;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;

/** Spend = accrued + committed. At 3.60 an hour, a second costs 0.001. */
final class SpendingTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant TEN = Instant.parse("2026-01-05T10:00:00Z");

    @Test
    void aLiveNodeCountsWhatItIsReservedFor() {
        NodeRecord node = node(NodeState.BOOTING, TEN, null, Duration.ofHours(2));
        assertThat(Spending.of(node, START, TEN)).isEqualTo(Money.parse("7.20"));
        assertThat(Spending.accrued(List.of(node), START, TEN.plusSeconds(10))).isEqualTo(Money.parse("0.01"));
    }

    @Test
    void aStoppedNodeCountsWhatItThenCosts() {
        NodeRecord node =
                node(NodeState.STOPPED, TEN, null, Duration.ZERO).stoppedAt(Money.parse("0.36"), TEN.plusSeconds(600));
        assertThat(Spending.of(node, START, TEN.plusSeconds(1600))).isEqualTo(Money.parse("0.70"));
        NodeRecord again = node.startedAt(TEN.plusSeconds(1600));
        assertThat(Spending.of(again, START, TEN.plusSeconds(1700))).isEqualTo(Money.parse("0.80"));
        assertThat(Spending.of(again, TEN.plusSeconds(1100), TEN.plusSeconds(1700)))
                .as("in a period that begins meanwhile")
                .isEqualTo(Money.parse("0.15"));
        assertThat(Spending.of(again.withCommittedFor(Duration.ofSeconds(2700)), START, TEN.plusSeconds(1700)))
                .as("what is reserved counts in full")
                .isEqualTo(Money.parse("1.80"));
    }

    @Test
    void aNodeThatOutlivesItsReservationCountsWhatItRan() {
        NodeRecord node = node(NodeState.READY, TEN, null, Duration.ofHours(1));
        assertThat(Spending.of(node, START, TEN.plusSeconds(7200))).isEqualTo(Money.parse("7.20"));
    }

    @Test
    void anEndedNodeCountsWhatItRanAndNothingMore() {
        NodeRecord node = node(NodeState.TERMINATED, TEN, TEN.plusSeconds(600), Duration.ofHours(5));
        assertThat(Spending.of(node, START, TEN.plusSeconds(9999))).isEqualTo(Money.parse("0.60"));
        assertThat(Spending.accrued(List.of(node), START, TEN.plusSeconds(9999)))
                .isEqualTo(Money.parse("0.60"));
    }

    @Test
    void aRefusedLaunchCostsNothing() {
        // As the loop writes it: its price begins at the moment at which it ends.
        NodeRecord refused = node(NodeState.LAUNCHING, TEN, null, Duration.ofHours(5))
                .withCostFrom(TEN.plusSeconds(3))
                .to(
                        NodeState.FAILED,
                        new NodeCause.LaunchRefused(LaunchOutcome.Reason.CAPACITY, "no more"),
                        TEN.plusSeconds(3));
        assertThat(refused.costTo()).isEqualTo(TEN.plusSeconds(3));
        assertThat(Spending.of(refused, START, TEN.plusSeconds(60))).isEqualTo(Money.ZERO);
    }

    @Test
    void whatWasNeverAskedForCostsNothing() {
        assertThat(Spending.of(node(NodeState.REQUESTED, null, null, Duration.ofHours(5)), START, TEN))
                .isEqualTo(Money.ZERO);
    }

    @Test
    void anEndStopsThePriceOnce() {
        NodeRecord node = node(NodeState.TERMINATING, TEN, null, Duration.ZERO)
                .to(NodeState.TERMINATED, Cause.NONE, TEN.plusSeconds(100))
                .to(NodeState.TERMINATED, Cause.NONE, TEN.plusSeconds(900));
        assertThat(node.costTo()).isEqualTo(TEN.plusSeconds(100));
    }

    @Test
    void aPeriodCountsOnlyWhatRanInIt() {
        ZoneId berlin = ZoneId.of("Europe/Berlin");
        // 22:50 to 23:10 UTC: midnight in Berlin lies in the middle.
        Instant begin = Instant.parse("2026-01-05T22:50:00Z");
        NodeRecord node = node(NodeState.TERMINATED, begin, begin.plusSeconds(1200), Duration.ZERO);
        Instant now = Instant.parse("2026-01-05T23:30:00Z");
        Instant day = BudgetPeriod.DAY.start(now, berlin);
        assertThat(Spending.of(node, day, now)).isEqualTo(Money.parse("0.60"));
        assertThat(Spending.of(node, BudgetPeriod.HOUR.start(now, berlin), now)).isEqualTo(Money.parse("0.60"));
        assertThat(Spending.of(node, BudgetPeriod.MONTH.start(now, berlin), now))
                .isEqualTo(Money.parse("1.20"));
        assertThat(Spending.of(node, BudgetPeriod.DAY.start(now.plusSeconds(86_400), berlin), now.plusSeconds(86_400)))
                .isEqualTo(Money.ZERO);
    }

    @Test
    void theDayOnWhichClocksGoBackHasTwentyFiveHours() {
        ZoneId berlin = ZoneId.of("Europe/Berlin");
        Instant now = Instant.parse("2026-10-25T22:59:00Z");
        NodeRecord node = node(NodeState.READY, START, null, Duration.ZERO);
        assertThat(Spending.of(node, BudgetPeriod.DAY.start(now.plusSeconds(59), berlin), now.plusSeconds(60)))
                .isEqualTo(Money.parse("90.00"));
    }

    @Test
    void aReservationMadeBeforeAPeriodReachesIntoIt() {
        NodeRecord node = node(NodeState.READY, TEN.minusSeconds(600), null, Duration.ofSeconds(1800));
        assertThat(Spending.of(node, TEN, TEN)).isEqualTo(Money.parse("1.20"));
    }

    @Test
    void sumsAllNodes() {
        assertThat(Spending.of(
                        List.of(
                                node(NodeState.READY, TEN, null, Duration.ofSeconds(100)),
                                node(NodeState.TERMINATED, TEN, TEN.plusSeconds(50), Duration.ZERO),
                                node(NodeState.REQUESTED, null, null, Duration.ZERO)),
                        START,
                        TEN.plusSeconds(60)))
                .isEqualTo(Money.parse("0.15"));
    }

    private static NodeRecord node(
            NodeState state, @Nullable Instant costFrom, @Nullable Instant costTo, Duration committedFor) {
        return NodeRecord.of(draft -> {
            draft.id = "n1";
            draft.site = "here";
            draft.intent = "i1";
            draft.nodeState = state;
            draft.since = TEN;
            draft.purchase = Purchase.of(bought -> {
                bought.offering = new OfferingId("here", "a", "std", Market.ON_DEMAND);
                bought.resources = Resources.of(1, 1, 0);
                bought.pricePerHour = Money.parse("3.60");
                bought.from = costFrom;
                bought.to = costTo;
                bought.committedFor = committedFor;
            });
        });
    }
}
