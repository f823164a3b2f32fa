package org.spillway.cloud.localcloud;

import java.time.Duration;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Resources;

/**
 * A type that can be launched in every zone.
 *
 * @param capacityPerZone instances that a zone holds at a time, over all markets
 * @param bootTime from launch to running
 * @param process whether an instance has processes, an address that answers and a disk; without, 10,000 of them cost
 *     nothing
 */
record MachineType(
        String name,
        Resources resources,
        Money pricePerHour,
        Money spotPricePerHour,
        int capacityPerZone,
        Duration bootTime,
        boolean process) {

    Money price(Market market) {
        return market == Market.SPOT ? spotPricePerHour : pricePerHour;
    }
}
