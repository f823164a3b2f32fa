package org.spillway.api;

import java.util.List;
import org.spillway.api.form.Describes;

/** All policies. */
public record PoliciesView(
        @Describes("whose wishes count in the next tick") String deciding,

        @Describes("who should decide: the one that was enabled, else the configured one")
        String wanted,

        @Describes("why another decides; empty when none does")
        String note,

        @Describes("how a policy from a file is kept") String containment,

        @Describes("where they are dropped") String folder,

        List<PolicyView> policies,

        @Describes("of the loop, which waits for no policy") TickView ticks) {
    public PoliciesView {
        policies = List.copyOf(policies);
    }
}
