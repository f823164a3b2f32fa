package org.spillway.api;

import java.time.Instant;
import java.util.List;
import org.spillway.api.form.Describes;
import org.spillway.api.form.OneOf;
import org.spillway.policy.Money;

/** Money spent in the current period, in parts that sum to it exactly. */
public record SpendPartsView(
        String currency,

        @OneOf({"hour", "day", "month"}) @Describes("in the head's time zone")
        String period,

        Instant since,

        @Describes("spent already: the sum of the parts, and accrued of /spend at that moment")
        Money total,

        List<PartView> parts) {
    public SpendPartsView {
        parts = List.copyOf(parts);
    }

    public record PartView(
            @OneOf({"jobs", "idle", "directors", "storage", "egress", "clusters", "unknown"})
            @Describes(
                    "idle: of nodes, what no job had; storage: what stopped nodes keep; clusters: on demand, that have ended; unknown: machines that the journal does not know")
            String part,

            String site,

            @Describes("empty for the site's own") String user,

            @Describes("empty for none, or for several") String account,

            @Describes("empty for none; idle time has none") String project,

            Money amount) {}
}
