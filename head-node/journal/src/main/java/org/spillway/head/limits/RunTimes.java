package org.spillway.head.limits;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/** How long finished jobs of a group took: the 95th percentile of the latest. One thread. */
public final class RunTimes {
    /** With fewer a percentile says nothing. */
    static final int ENOUGH = 10;

    private final Figures figures = new Figures();

    /** @param group by which jobs are alike; has equals and hashCode */
    public void ended(Object group, Duration took) {
        figures.add(group, took.toMillis());
    }

    /** Empty where too few are known. */
    public Optional<Duration> percentile95(Object group) {
        OptionalLong millis = figures.percentile95(group, ENOUGH);
        return millis.isEmpty() ? Optional.empty() : Optional.of(Duration.ofMillis(millis.getAsLong()));
    }

    Figures figures() {
        return figures;
    }
}
