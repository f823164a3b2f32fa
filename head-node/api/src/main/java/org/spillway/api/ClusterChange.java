package org.spillway.api;

import org.spillway.api.form.Bounds;
import org.spillway.api.form.Checked;
import org.spillway.api.form.Describes;
import org.spillway.api.form.Matches;
import org.spillway.api.form.Usual;
import org.spillway.policy.Money;

/** A change of a cluster on demand. */
public sealed interface ClusterChange {
    record Scale(
            @Bounds(min = 1, max = 1000) @Describes("that it has from now on")
            int nodes) implements ClusterChange {}

    /** Time, or money, or both, are more than nothing. */
    record Extend(
            @Usual("0") @Bounds(min = 0, max = 30L * 24 * 3600) @Describes("more than it had")
            long ttlSeconds,

            @Usual("0") @Describes("more than it had") Money budget)
            implements ClusterChange, Checked {
        @Override
        public void check(String prefix) {
            if (ttlSeconds == 0 && budget.equals(Money.ZERO)) {
                throw new ApiException(
                        ApiException.Code.BAD_REQUEST,
                        "neither ttlSeconds nor budget",
                        "allowed: one of them, by how much there is to be more");
            }
        }
    }

    record Stop(
            @Usual("false") @Describes("whether jobs that run are ended, to begin anew after its start")
            boolean now) implements ClusterChange {}

    record Start() implements ClusterChange {}

    /** Agrees to one that waits for it. */
    record Approve() implements ClusterChange {}

    record Reject(
            @Matches(value = "(?=[\\s\\S]*\\S)[^\\p{Cc}\\p{Cf}]{1,300}", allowed = "one line of 1 to 300 characters")
            String why)
            implements ClusterChange {
        public Reject {
            why = why.strip();
        }
    }
}
