package org.spillway.scaler.simulate.world;

import java.util.List;

/**
 * A cloud.
 *
 * @param maxNodes that may exist at once, 0 or more
 */
public record SimulatedSite(String name, int maxNodes, List<SimulatedOffering> offerings) {
    public SimulatedSite {
        offerings = List.copyOf(offerings);
        if (maxNodes < 0) {
            throw new IllegalArgumentException("maxNodes is " + maxNodes + "; allowed: 0 or more");
        }
    }
}
