package org.spillway.head.rest;

import java.time.Instant;
import org.spillway.head.lifecycle.NodeState;
import org.spillway.policy.Money;

/**
 * A node or a director. Texts are empty where there is nothing to say.
 *
 * @param role {@code node} or {@code director}
 * @param offering what was bought, as {@code zone/type/market}
 * @param instance the provider's id
 * @param since when it entered its state
 * @param pricePerHour while it exists
 * @param reason why it is in its state
 * @param job that it runs now
 */
public record NodeView(
        String id,
        String site,
        String role,
        NodeState state,
        String offering,
        String instance,
        String address,
        Instant since,
        Money pricePerHour,
        String reason,
        String job) {}
