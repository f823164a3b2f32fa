package org.spillway.api;

import java.time.Instant;
import java.util.List;
import org.spillway.api.form.Describes;
import org.spillway.api.form.OneOf;
import org.spillway.policy.Money;

/** Machines that the journal does not know, and whether it is in quarantine. */
public record RecoveryView(
        @Describes("the journal does not know all of its past: what no node of it owns is neither ended nor forgotten")
        boolean quarantined,

        @Describes("identity, epoch and start of this head's state; empty for none")
        String state,

        @Describes("what they have cost since their launch") Money accrued,

        List<Machine> machines) {
    public RecoveryView {
        machines = List.copyOf(machines);
    }

    /** A machine. */
    public record Machine(
            @Describes("SITE/INSTANCE") String id,

            @Describes("DIRECTOR, NODE or HEAD, as its tag says; empty for none")
            String role,

            @Describes("zone, instance type and market") String offering,

            @OneOf({"FOUND", "KEPT", "ENDING", "ADOPTED", "GONE"}) @Describes("FOUND until somebody has chosen")
            String state,

            @Describes("of the state that bought it; 0 where its tag does not say")
            int epoch,

            @Describes("whose name it bears; empty for none")
            String owner,

            Instant launchedAt,

            Money pricePerHour,

            @Describes("since its launch") Money accrued,

            @Describes("the node that it would be; empty where it cannot be adopted")
            String adoptable,

            @Describes("why it cannot be adopted") CauseView obstacle,

            @Describes("why it is in its state") CauseView cause) {}
}
