package org.spillway.api;

import java.time.Instant;
import org.spillway.policy.Money;

/**
 * Money in the current period.
 *
 * @param period {@code hour}, {@code day} or {@code month}, in the head's time zone
 * @param accrued spent already
 * @param committed to be spent by what runs or starts, to its expected end
 * @param left the limit less both; negative when overdrawn
 * @param egress of accrued and committed, what sites take for letting results out
 */
public record SpendView(
        String currency,
        String period,
        Instant since,
        Money limit,
        Money accrued,
        Money committed,
        Money left,
        Money egress) {}
