package org.spillway.scaler;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.spillway.policy.Demand;
import org.spillway.policy.Limits;
import org.spillway.policy.Money;

/** Money. */
public interface SpendLedger {
    /**
     * The budget of the current period less what is accrued and what is committed: running and in-flight instances to
     * their expected end. Negative when overdrawn.
     */
    Money left(Instant now);

    /** The current period with the whole budget of it; empty where nobody knows. */
    default Optional<Limits.Period> period(Instant now) {
        return Optional.empty();
    }

    /**
     * All other limits, with what is used of each now.
     *
     * @param demands that wait: limits of queues, users and accounts that are not among them need not be told
     */
    default List<Limits.Limit> limits(List<Demand> demands, Instant now) {
        return List.of();
    }
}
