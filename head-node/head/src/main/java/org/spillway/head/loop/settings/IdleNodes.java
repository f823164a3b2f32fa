package org.spillway.head.loop.settings;

import java.time.Duration;
import java.util.Map;
import org.spillway.policy.Money;

/**
 * The end of a site's nodes that nothing needs.
 *
 * @param stop they are stopped and started again, where they can be; otherwise they are ended
 * @param stoppedFor after which a stopped one is ended, unless it is kept; more than 0
 * @param stoppedPrices what a stopped node costs per hour, by instance type, as far as the configuration knows; the price
 *     of a type that is missing counts on, for an estimate must not be below the bill
 */
public record IdleNodes(boolean stop, Duration stoppedFor, Map<String, Money> stoppedPrices) {
    public static final IdleNodes ENDED = new IdleNodes(false, Duration.ofDays(1), Map.of());

    public IdleNodes {
        stoppedPrices = Map.copyOf(stoppedPrices);
    }
}
