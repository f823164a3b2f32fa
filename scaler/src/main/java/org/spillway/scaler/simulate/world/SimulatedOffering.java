package org.spillway.scaler.simulate.world;

import java.time.Duration;
import org.spillway.policy.Offering;

/**
 * Something that a simulated site sells, and how well it can be had.
 *
 * @param capacity instances of it that the site has in sum, 0 or more
 * @param boot median from the launch call to a node that takes jobs
 * @param bootSpread standard deviation of the logarithm of the boot time, 0 to 2; 0 for always the median
 * @param shortageEvery mean time between the end of a shortage and the next; zero for never
 * @param shortageLasts mean length of a shortage, in which nothing can be had
 * @param reclaimAfter mean life of an instance until the provider takes it back; zero for never
 */
public record SimulatedOffering(
        Offering offering,
        int capacity,
        Duration boot,
        double bootSpread,
        Duration shortageEvery,
        Duration shortageLasts,
        Duration reclaimAfter) {
    public SimulatedOffering {
        if (capacity < 0) {
            throw new IllegalArgumentException("capacity is " + capacity + "; allowed: 0 or more");
        }
        if (!(bootSpread >= 0 && bootSpread <= 2)) {
            throw new IllegalArgumentException("bootSpread is " + bootSpread + "; allowed: 0 to 2");
        }
        if (boot.isNegative()
                || shortageEvery.isNegative()
                || shortageLasts.isNegative()
                || reclaimAfter.isNegative()) {
            throw new IllegalArgumentException("a time is negative in " + offering.id());
        }
    }
}
