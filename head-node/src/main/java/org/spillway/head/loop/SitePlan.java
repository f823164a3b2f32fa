package org.spillway.head.loop;

import java.time.Duration;
import java.util.Optional;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Power;
import org.spillway.policy.Market;

/**
 * What the configuration says about a site, with the provider behind it.
 *
 * @param directorZone empty for any
 * @param registration how long after the launch call a node may take to be ready
 * @param directorIdle how long a director is kept without anything to do
 * @param home whether it is at home
 * @param keepType instance type of the nodes that are always there; empty for none
 * @param keepCount how many
 * @param power stopping and starting instances, where the driver can
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
        Duration directorIdle,
        boolean home,
        String keepType,
        int keepCount,
        Optional<Power> power) {}
