package org.spillway.head.ondemand;

import java.time.Instant;
import java.util.Set;
import org.spillway.policy.Money;

/**
 * An allowance of one child cluster in one site of its parent.
 *
 * @param cluster the child's id: {@code spillway-cluster} on all that it owns
 * @param site the parent's name of the site
 * @param maxNodes instances that the child may have at once; its head, which the parent bought, is not among them
 * @param budgetLeft of the child's whole budget, after what the parent's own records say of it (its head, a network);
 *     what was bought through the broker is not taken away here: the broker keeps those books itself
 * @param expires end of the token, and of the child; nothing is bought that could not be gone by then
 * @param instanceTypes that it may buy; empty for any
 */
public record Allowance(
        String cluster, String site, int maxNodes, Money budgetLeft, Instant expires, Set<String> instanceTypes) {
    public Allowance {
        instanceTypes = Set.copyOf(instanceTypes);
        if (!cluster.matches("[a-z0-9-]{1,20}")) {
            throw new IllegalArgumentException("not a child's id: '" + cluster + "'");
        }
        if (maxNodes < 0) {
            throw new IllegalArgumentException("a number of nodes is never negative: " + maxNodes);
        }
    }

    public boolean isOver(Instant now) {
        return !now.isBefore(expires);
    }
}
