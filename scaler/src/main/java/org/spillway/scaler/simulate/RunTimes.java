package org.spillway.scaler.simulate;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * How long jobs of a group ran that have ended: all that may be known of the length of those that have not. A group is a
 * queue and a size class; one with few ends takes the answer of all jobs, and before that a default.
 *
 * <p>Lengths are counted in classes that grow by a seventh each, so that a percentile costs no sorting and answers change
 * seldom. Answers are the upper end of a class.
 */
final class RunTimes {
    private static final int ENOUGH = 20;
    private static final long[] CLASSES = classes();

    private final Duration otherwise;
    private final Map<String, Group> groups = new HashMap<>();
    private final Group all = new Group();

    RunTimes(Duration otherwise) {
        this.otherwise = otherwise;
    }

    /** Counts of one group, to be kept by whoever asks often. */
    static final class Group {
        private final int[] counts = new int[CLASSES.length];
        private int total;

        private void add(int index) {
            counts[index]++;
            total++;
        }

        private Duration percentile(int percent) {
            long wanted = ((long) total * percent + 99) / 100;
            long seen = 0;
            for (int i = 0; i < counts.length; i++) {
                seen += counts[i];
                if (seen >= wanted) {
                    return Duration.ofMillis(CLASSES[i]);
                }
            }
            return Duration.ofMillis(CLASSES[CLASSES.length - 1]);
        }
    }

    Group group(String queue, int sizeClass) {
        return groups.computeIfAbsent(queue + "/" + sizeClass, key -> new Group());
    }

    void ended(Group group, long millis) {
        int index = 0;
        while (index < CLASSES.length - 1 && CLASSES[index] < millis) {
            index++;
        }
        group.add(index);
        all.add(index);
    }

    /** A time that most such jobs do not run longer than. */
    Duration limit(Group group) {
        return group.total >= ENOUGH ? group.percentile(95) : all.total >= ENOUGH ? all.percentile(95) : otherwise;
    }

    private static long[] classes() {
        long[] ends = new long[128];
        long end = 1000;
        for (int i = 0; i < ends.length; i++) {
            ends[i] = end;
            end += Math.max(1000, end / 7);
        }
        return ends;
    }
}
