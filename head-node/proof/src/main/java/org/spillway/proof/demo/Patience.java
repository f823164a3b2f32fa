package org.spillway.proof.demo;

import java.math.BigDecimal;
import java.time.Duration;

/**
 * How long things may take.
 *
 * @param more than on a machine of its own with local clouds: what a boot there takes, in seconds
 */
record Patience(Duration more) {
    static final Patience USUAL = new Patience(Duration.ZERO);

    private static final Duration JOBS = Duration.ofMinutes(6);
    private static final Duration REPLICAS = Duration.ofSeconds(60);
    private static final Duration RELEASE = Duration.ofSeconds(120);
    private static final Duration ANSWER = Duration.ofSeconds(60);
    private static final Duration SWEEP = Duration.ofSeconds(30);
    /** A head that was killed is back within it on a busy machine, too; a real head has minutes. */
    private static final Duration LEASE = Duration.ofSeconds(90);

    /** A director, its nodes, and the same again for those that had bad luck. */
    Duration jobs() {
        return JOBS.plus(more.multipliedBy(6));
    }

    Duration replicas() {
        return REPLICAS.plus(more);
    }

    Duration release() {
        return RELEASE.plus(more);
    }

    Duration answer() {
        return ANSWER.plus(more);
    }

    Duration sweep() {
        return SWEEP.plus(more);
    }

    Duration lease() {
        return LEASE.plus(more);
    }

    Duration walltime() {
        return Duration.ofMinutes(10).plus(more.multipliedBy(4));
    }

    /** How far apart the starts of a gang's ranks may be: its nodes learn of the start when they ask. */
    BigDecimal gangSeconds() {
        return more.isZero() ? BigDecimal.ONE : BigDecimal.valueOf(5);
    }
}
