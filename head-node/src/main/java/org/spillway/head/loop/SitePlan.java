package org.spillway.head.loop;

import java.time.Duration;
import org.spillway.cloud.Compute;
import org.spillway.policy.Market;

/**
 * What the configuration says about a site, with the provider behind it.
 *
 * @param directorZone empty for any
 * @param registration how long after the launch call a node may take to be ready
 * @param directorIdle how long a director is kept without anything to do
 */
public record SitePlan(
        String name,
        Compute compute,
        int maxNodes,
        String directorType,
        Market directorMarket,
        String directorZone,
        String image,
        Duration registration,
        Duration directorIdle) {}
