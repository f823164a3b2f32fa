package org.spillway.api;

import java.util.List;

/**
 * All policies.
 *
 * @param deciding whose wishes count in the next tick
 * @param wanted who should decide: the one that was enabled, else the configured one
 * @param note why another decides; empty when none does
 * @param containment how a policy from a file is kept
 * @param folder where they are dropped
 * @param ticks of the loop, which waits for no policy
 */
public record PoliciesView(
        String deciding,
        String wanted,
        String note,
        String containment,
        String folder,
        List<PolicyView> policies,
        TickView ticks) {
    public PoliciesView {
        policies = List.copyOf(policies);
    }
}
