package org.spillway.scaler;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.policy.builtin.CostFirstPolicy;
import org.spillway.policy.builtin.CostFirstSettings;

/** Promises of cost-first. */
final class CostFirstPromisesTest extends PromisesScene {

    // cost-first

    private static CostFirstSettings worth(String valueOfHour) {
        CostFirstSettings usual = CostFirstSettings.DEFAULTS;
        return new CostFirstSettings(
                Money.parse(valueOfHour), 100, Duration.ZERO, usual.idleTime(), usual.maxNodesPerTick());
    }

    @Test
    void costFirstWaitsForHomeWhileThatIsWorthIt() {
        offers(SMALL, "1.00");
        waits("s", 1, Duration.ZERO);
        node("h", null, NodeView.Phase.ALLOCATED, Duration.ofMinutes(30), 0);
        // A run in the cloud costs a little more than 1.00, so at 1.00 an hour it may wait for about an hour.
        assertThat(held(decide(new CostFirstPolicy(), worth("1.00")))).contains("at home");
        assertThat(nodesIn(decide(new CostFirstPolicy(), worth("4.00")))).isEqualTo(1);
    }

    @Test
    void costFirstBuysForThoseOnlyThatHomeDoesNotServeInTime() {
        offers(SMALL, "1.00");
        waits("s", 10, Duration.ZERO);
        node("h1", null, NodeView.Phase.ALLOCATED, Duration.ofMinutes(30), 0);
        node("h2", null, NodeView.Phase.IDLE, null, 0);
        // Within the hour and two minutes h1 starts one job and h2 two.
        assertThat(nodesIn(decide(new CostFirstPolicy(), worth("1.00")))).isEqualTo(7);
    }

    @Test
    void costFirstBuysAtOnceWhereNobodyKnowsWhenHomeIsFree() {
        offers(SMALL, "1.00");
        waits("s", 2, Duration.ZERO);
        assertThat(nodesIn(decide(new CostFirstPolicy(), worth("0.01")))).isEqualTo(2);
        node("h", null, NodeView.Phase.ALLOCATED, null, 0);
        assertThat(nodesIn(decide(new CostFirstPolicy(), worth("0.01")))).isEqualTo(2);
    }

    @Test
    void costFirstTakesADearerNodeThatIsThereSoonerWhenTimeIsWorthIt() {
        OfferingId fast = id("east", "fast", Market.ON_DEMAND);
        offers(SMALL, "1.00");
        offers(fast, "1.10");
        statuses.add(new OfferingStatus(SMALL, null, 1000, Duration.ofMinutes(30), "", 0));
        waits("s", 1, Duration.ZERO);
        assertThat(first(decide(new CostFirstPolicy(), worth("10")))).isEqualTo(fast);
    }

    @Test
    void costFirstWaitsNoLongerThanMostWait() {
        offers(SMALL, "1.00");
        waits("s", 1, Duration.ofMinutes(20));
        node("h", null, NodeView.Phase.ALLOCATED, Duration.ofMinutes(30), 0);
        CostFirstSettings impatient =
                new CostFirstSettings(Money.parse("1.00"), 100, Duration.ofMinutes(40), Duration.ofSeconds(300), 1000);
        assertThat(nodesIn(decide(new CostFirstPolicy(), impatient))).isEqualTo(1);
    }
}
