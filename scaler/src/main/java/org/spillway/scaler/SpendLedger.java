package org.spillway.scaler;

import java.time.Instant;
import org.spillway.policy.Money;

/** Money. */
public interface SpendLedger {
    /**
     * The budget of the current period less what is accrued and what is committed: running and in-flight instances to
     * their expected end. Negative when overdrawn.
     */
    Money left(Instant now);
}
