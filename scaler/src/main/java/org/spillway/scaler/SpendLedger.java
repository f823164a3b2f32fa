package org.spillway.scaler;

import java.time.Instant;
import java.util.Optional;
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
}
