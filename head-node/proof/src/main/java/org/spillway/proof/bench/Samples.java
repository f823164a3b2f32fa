package org.spillway.proof.bench;

import java.util.Arrays;
import java.util.Collection;

/** Measured values, sorted. At least one. */
public final class Samples {
    private final double[] sorted;

    private Samples(double[] sorted) {
        this.sorted = sorted;
    }

    /** @throws IllegalArgumentException if there is none */
    public static Samples of(Collection<Double> values) {
        if (values.isEmpty()) {
            throw new IllegalArgumentException("nothing was measured");
        }
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
        Arrays.sort(sorted);
        return new Samples(sorted);
    }

    /** The mean of the two middle values when the count is even. */
    public double median() {
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** The smallest value that at least 95 in 100 do not exceed (nearest rank). */
    public double p95() {
        return rank(0.95);
    }

    /** The smallest value that at least 99 in 100 do not exceed (nearest rank). */
    public double p99() {
        return rank(0.99);
    }

    private double rank(double part) {
        return sorted[Math.max(0, (int) Math.ceil(sorted.length * part) - 1)];
    }
}
