package org.spillway.head.limits;

import java.time.Duration;
import java.util.Map;

/**
 * Who is entitled to which part, against the others.
 *
 * @param of what the names are
 * @param weights more than 0, by name
 * @param others weight of each that is not named, more than 0
 * @param halfLife after which use counts half
 */
public record Shares(Kind of, Map<String, Double> weights, double others, Duration halfLife) {
    public Shares {
        weights = Map.copyOf(weights);
        if (!(others > 0)
                || weights.values().stream().anyMatch(weight -> !(weight > 0))
                || halfLife.isNegative()
                || halfLife.isZero()) {
            throw new IllegalArgumentException("a share's weight and the half-life are more than 0");
        }
    }

    public enum Kind {
        ACCOUNT,
        QUEUE
    }

    double weight(String name) {
        return weights.getOrDefault(name, others);
    }
}
