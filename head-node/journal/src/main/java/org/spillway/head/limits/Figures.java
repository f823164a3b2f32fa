package org.spillway.head.limits;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * A figure of finished jobs of a group: the 95th percentile of the latest {@link #KEPT}. Bounded: beyond
 * {@link #MOST_GROUPS} groups, the one of which nothing was heard for longest is forgotten. One thread.
 */
final class Figures {
    static final int KEPT = 100;
    static final int MOST_GROUPS = 2000;

    private final LinkedHashMap<Object, Deque<Long>> groups = new LinkedHashMap<>(16, 0.75f, true);

    /** @param group by which jobs are alike; has equals and hashCode */
    void add(Object group, long figure) {
        Deque<Long> latest = groups.computeIfAbsent(group, any -> new ArrayDeque<>());
        latest.addLast(figure);
        if (latest.size() > KEPT) {
            latest.removeFirst();
        }
        if (groups.size() > MOST_GROUPS) {
            groups.pollFirstEntry();
        }
    }

    /** Empty where fewer are known. @param enough 1 or more */
    OptionalLong percentile95(Object group, int enough) {
        Deque<Long> latest = groups.get(group);
        if (latest == null || latest.size() < enough) {
            return OptionalLong.empty();
        }
        long[] sorted = latest.stream().mapToLong(Long::longValue).sorted().toArray();
        return OptionalLong.of(sorted[Math.ceilDiv(sorted.length * 95, 100) - 1]);
    }

    Map<Object, Deque<Long>> groups() {
        return groups;
    }
}
