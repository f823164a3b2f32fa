package org.spillway.head.loop;

import java.time.Duration;
import java.util.Arrays;

/** How long the last ticks took, and whether they came in time. One thread writes, any reads. */
public final class TickTimes {
    private static final int MOST = 100;

    private final long[] tookNanos = new long[MOST];
    private final long[] lateNanos = new long[MOST];
    private int ticks;
    private long allTicks;
    private long allNanos;

    /**
     * @param took of work
     * @param late later than the longest pause allows; zero for in time
     */
    synchronized void add(Duration took, Duration late) {
        allTicks++;
        allNanos += took.toNanos();
        int place = ticks % MOST;
        tookNanos[place] = took.toNanos();
        lateNanos[place] = Math.max(0, late.toNanos());
        ticks = ticks == 2 * MOST - 1 ? MOST : ticks + 1;
    }

    /**
     * @param count of ticks that this is about, at most 100
     * @param median of what they took
     * @param most of what one took
     * @param late how much later than it should one began, at most
     */
    public record Figures(int count, Duration median, Duration p95, Duration most, Duration late) {}

    /** Of this head's life. */
    public record Totals(long ticks, Duration took) {}

    public synchronized Totals totals() {
        return new Totals(allTicks, Duration.ofNanos(allNanos));
    }

    public synchronized Figures figures() {
        int count = Math.min(ticks, MOST);
        long[] sorted = Arrays.copyOf(tookNanos, count);
        Arrays.sort(sorted);
        long late = Arrays.stream(lateNanos, 0, count).max().orElse(0);
        return new Figures(count, at(sorted, 0.5), at(sorted, 0.95), at(sorted, 1), Duration.ofNanos(late));
    }

    private static Duration at(long[] sorted, double part) {
        return sorted.length == 0
                ? Duration.ZERO
                : Duration.ofNanos(sorted[Math.max(0, (int) Math.ceil(sorted.length * part) - 1)]);
    }
}
