package org.spillway.api;

import java.time.Instant;
import org.spillway.api.form.Describes;
import org.spillway.api.form.OneOf;
import org.spillway.policy.Money;

/** Money in the current period. */
public record SpendView(
        String currency,

        @OneOf({"hour", "day", "month"}) @Describes("in the head's time zone")
        String period,

        Instant since,

        Money limit,

        @Describes("spent already") Money accrued,

        @Describes("to be spent by what runs or starts, to its expected end")
        Money committed,

        @Describes("the limit less both; negative when overdrawn")
        Money left,

        @Describes("of accrued and committed, what sites take for letting results out")
        Money egress,

        @Describes("of accrued, what machines have cost that the journal does not know")
        Money unknown) {}
