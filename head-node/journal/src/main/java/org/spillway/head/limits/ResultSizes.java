package org.spillway.head.limits;

import java.util.OptionalLong;

/**
 * How large the results of finished jobs of a group were, in bytes: the 95th percentile of the latest, and of a few the
 * largest, for a bill is to be smaller than what was expected of it. One thread.
 */
public final class ResultSizes {
    private final Figures figures = new Figures();

    /** @param group by which jobs are alike; has equals and hashCode */
    public void ended(Object group, long bytes) {
        figures.add(group, bytes);
    }

    /** Empty where none is known. */
    public OptionalLong percentile95(Object group) {
        return figures.percentile95(group, 1);
    }
}
