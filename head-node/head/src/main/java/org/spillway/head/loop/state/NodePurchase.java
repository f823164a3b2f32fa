package org.spillway.head.loop.state;

import org.spillway.policy.Market;

/**
 * Nodes that an administrator asks for.
 *
 * @param zone empty for the cheapest
 * @param count 1 or more
 * @param keep the policy must not release them
 * @param owner who asks; empty for the head itself
 */
public record NodePurchase(
        String site, String type, String zone, Market market, int count, boolean keep, String owner) {
    public NodePurchase {
        if (count < 1) {
            throw new IllegalArgumentException("an order for " + count + " nodes");
        }
    }
}
