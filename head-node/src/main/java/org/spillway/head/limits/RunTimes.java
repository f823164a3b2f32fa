package org.spillway.head.limits;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * How long finished jobs of a group took: the 95th percentile of the latest {@link #KEPT}. Bounded: beyond
 * {@link #MOST_GROUPS} groups, the one of which nothing was heard for longest is forgotten. One thread.
 */
public final class RunTimes {
    /** With fewer a percentile says nothing. */
    static final int ENOUGH = 10;

    static final int KEPT = 100;
    static final int MOST_GROUPS = 2000;

    private final LinkedHashMap<Object, Deque<Long>> groups = new LinkedHashMap<>(16, 0.75f, true);

    /** @param group by which jobs are alike; has equals and hashCode */
    public void ended(Object group, Duration took) {
        Deque<Long> latest = groups.computeIfAbsent(group, any -> new ArrayDeque<>());
        latest.addLast(took.toMillis());
        if (latest.size() > KEPT) {
            latest.removeFirst();
        }
        if (groups.size() > MOST_GROUPS) {
            groups.pollFirstEntry();
        }
    }

    /** Empty where too few are known. */
    public Optional<Duration> percentile95(Object group) {
        Deque<Long> latest = groups.get(group);
        if (latest == null || latest.size() < ENOUGH) {
            return Optional.empty();
        }
        long[] sorted = latest.stream().mapToLong(Long::longValue).sorted().toArray();
        int index = Math.ceilDiv(sorted.length * 95, 100) - 1;
        return Optional.of(Duration.ofMillis(sorted[index]));
    }

    Map<Object, Deque<Long>> groups() {
        return groups;
    }
}
