package org.spillway.head.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.api.ApiException;
import org.spillway.head.cause.RolloutCause.Order;
import org.spillway.head.cause.RolloutCause.Ordered;
import org.spillway.head.cause.RolloutCause.RolloutFact;
import org.spillway.head.journal.RolloutRecord;
import org.spillway.head.rollout.Rollout;
import org.spillway.head.rollout.Rollout.Phase;
import org.spillway.head.rollout.RolloutPlan;
import org.spillway.head.rollout.Terms;
import org.spillway.head.rollout.Version;

/** Words of administrators on a category's record. */
final class RolloutDeskTest {
    private static final Instant NOW = Instant.parse("2026-11-28T05:00:00Z");
    private static final Version OLD = new Version("compute", "a".repeat(64));
    private static final Version NEW = new Version("compute", "b".repeat(64));
    private static final RolloutRecord SETTLED = RolloutRecord.first("ml", OLD);
    private static final RolloutRecord UNDER_WAY =
            SETTLED.with(Rollout.begin(OLD, NEW, Terms.USUAL, RolloutFact.IMAGE_MOVED, NOW));

    private static RolloutRecord told(RolloutRecord record, Order order) {
        return RolloutDesk.changed(record, order, new Ordered(order, "root"), NOW);
    }

    private static Rollout last(RolloutRecord record) {
        Rollout rollout = record.rollout();
        assertThat(rollout).isNotNull();
        return rollout == null ? Rollout.begin(OLD, NEW, Terms.USUAL, RolloutFact.IMAGE_MOVED, NOW) : rollout;
    }

    /** A category without nodes, to which nothing has to come. */
    private static RolloutRecord done() {
        Rollout rollout = Rollout.begin(OLD, NEW, new Terms(0, 1, 0, 0, 60, 0), new Ordered(Order.BEGIN, "root"), NOW);
        for (int step = 0; !rollout.isOver() && step < 5; step++) {
            rollout = RolloutPlan.next(rollout, List.of(), NOW);
        }
        return SETTLED.with(rollout);
    }

    @Test
    void oneIsPausedAndResumedAndTheSameAgainChangesNothing() {
        RolloutRecord paused = told(UNDER_WAY, Order.PAUSE);
        assertThat(last(paused).paused()).isTrue();
        assertThat(paused.cause()).isEqualTo(new Ordered(Order.PAUSE, "root"));
        assertThat(told(paused, Order.PAUSE)).isEqualTo(paused);
        assertThat(last(told(paused, Order.RESUME)).paused()).isFalse();
        assertThat(told(UNDER_WAY, Order.RESUME)).isEqualTo(UNDER_WAY);
    }

    @Test
    void oneThatIsUnderWayIsTakenBackByBothWordsAndStaysSo() {
        RolloutRecord back = told(UNDER_WAY, Order.ABORT);
        assertThat(last(back).phase()).isEqualTo(Phase.BACK);
        assertThat(last(told(UNDER_WAY, Order.ROLLBACK)).phase()).isEqualTo(Phase.BACK);
        assertThat(told(back, Order.ABORT)).isEqualTo(back);
        assertThatThrownBy(() -> told(back, Order.PAUSE)).isInstanceOf(ApiException.class);
    }

    @Test
    void afterItsEndNodesGoBackToTheVersionBeforeWithoutACanary() {
        RolloutRecord done = done();
        assertThat(done.settled()).isEqualTo(NEW);
        assertThat(done.former()).isEqualTo(OLD);
        Rollout rollback = last(told(done, Order.ROLLBACK));
        assertThat(rollback.from()).isEqualTo(NEW);
        assertThat(rollback.to()).isEqualTo(OLD);
        assertThat(rollback.terms().canary()).isZero();
        assertThat(rollback.terms().soakSeconds()).isZero();
        assertThatThrownBy(() -> told(done, Order.ABORT)).isInstanceOf(ApiException.class);
    }

    @Test
    void whereThereWasNoneNothingIsTakenBack() {
        for (Order order : List.of(Order.PAUSE, Order.RESUME, Order.ABORT, Order.ROLLBACK)) {
            assertThatThrownBy(() -> told(SETTLED, order))
                    .isInstanceOf(ApiException.class)
                    .hasMessageContaining("ml");
        }
    }
}
