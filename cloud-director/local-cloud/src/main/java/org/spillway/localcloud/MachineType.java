package org.spillway.localcloud;

import java.time.Duration;
import java.util.Set;
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
 * @param gpuMemoryBytes of each GPU
 * @param features as in {@link org.spillway.policy.Offering#features()}, with its architecture always
 * @param machine a program that makes a machine of its own of each instance, put before all its commands: absolute path;
 *     empty for none. {@code PROGRAM boot COMMAND...} becomes the process that lives as long as the instance has power,
 *     {@code PROGRAM run COMMAND...} each other. When the first ends, all of them must
 */
public record MachineType(
        String name,
        Resources resources,
        Money pricePerHour,
        Money spotPricePerHour,
        int capacityPerZone,
        Duration bootTime,
        boolean process,
        long gpuMemoryBytes,
        Set<String> features,
        String machine) {
    public MachineType {
        features = Set.copyOf(features);
    }

    public Money price(Market market) {
        return market == Market.SPOT ? spotPricePerHour : pricePerHour;
    }
}
