package org.spillway.director.directory;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long to wait before the next attempt: doubling, between bounds, by a random part less, so that all the replicas
 * that lost one provider do not come back in the same instant.
 */
public record Backoff(Duration first, Duration longest) {
    public static final Backoff DEFAULT = new Backoff(Duration.ofMillis(200), Duration.ofSeconds(30));

    public Backoff {
        if (first.isNegative() || first.isZero() || longest.compareTo(first) < 0) {
            throw new IllegalArgumentException("a backoff needs 0 < first <= longest, not " + first + ", " + longest);
        }
    }

    /** @param failures in a row, 1 or more */
    Duration after(int failures, RandomGenerator random) {
        long full = longest.toMillis();
        if (failures < 20) {
            full = Math.min(full, first.toMillis() << (failures - 1));
        }
        return Duration.ofMillis(full - random.nextLong(full / 2 + 1));
    }
}
