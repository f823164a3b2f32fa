package org.spillway.scaler.simulate;

import java.time.Duration;
import java.util.Collection;
import org.spillway.policy.Money;

/**
 * Money that may still be committed: the budget of each 30 days from the start of the log, less what nodes have cost in
 * them and what running nodes will cost to the expected end of their jobs.
 */
final class Budget {
    private static final long PERIOD_MILLIS = Duration.ofDays(30).toMillis();
    private static final Money PLENTY = new Money(Long.MAX_VALUE / 4);

    private final Money limit;
    private final long from;
    private long period = -1;
    private Money costBefore = Money.ZERO;

    /** @param limit negative for no budget */
    Budget(Money limit, long from) {
        this.limit = limit;
        this.from = from;
    }

    boolean isLimited() {
        return limit.micros() >= 0;
    }

    /**
     * Instants only go forward.
     *
     * @param cost of all nodes from the start to now
     */
    Money left(long now, Money cost, Collection<SimulatedNode> nodes) {
        if (!isLimited()) {
            return PLENTY;
        }
        long current = (now - from) / PERIOD_MILLIS;
        if (current != period) {
            period = current;
            costBefore = cost;
        }
        Money left = limit.minus(cost.minus(costBefore));
        for (SimulatedNode node : nodes) {
            left = left.minus(node.committedAfter(now));
        }
        return left;
    }

    /** When the next period begins; {@code Long.MAX_VALUE} where there is no budget. */
    long nextPeriod(long now) {
        return isLimited() ? from + ((now - from) / PERIOD_MILLIS + 1) * PERIOD_MILLIS : Long.MAX_VALUE;
    }
}
