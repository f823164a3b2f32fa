package org.spillway.cloud;

import java.time.Instant;
import java.time.InstantSource;

/**
 * Calls that a site's driver has sent to its provider, each page and each look of a longer call by itself, as the provider
 * counts them. Safe for several threads.
 */
public final class CallMeter {
    private static final int SECONDS = 60;
    private static final int KINDS = Kind.values().length;

    private final InstantSource clock;
    private final long[] totals = new long[KINDS];
    /** By second, the last minute of them. */
    private final int[][] counts = new int[SECONDS][KINDS];

    private final long[] seconds = new long[SECONDS];

    public CallMeter(InstantSource clock) {
        this.clock = clock;
    }

    /** Kinds that providers count apart. */
    public enum Kind {
        READ,
        CHANGE
    }

    /** Calls of a site in the minute before now. */
    public record Minute(int reads, int changes) {
        public static final Minute NONE = new Minute(0, 0);
    }

    /** A call leaves this machine. */
    public synchronized void sent(Kind kind) {
        long second = clock.instant().getEpochSecond();
        int slot = Math.floorMod(second, SECONDS);
        if (seconds[slot] != second) {
            seconds[slot] = second;
            counts[slot] = new int[KINDS];
        }
        counts[slot][kind.ordinal()]++;
        totals[kind.ordinal()]++;
    }

    /** Since it was made. */
    public synchronized long total(Kind kind) {
        return totals[kind.ordinal()];
    }

    public synchronized Minute lastMinute() {
        Instant now = clock.instant();
        int[] sums = new int[KINDS];
        for (int slot = 0; slot < SECONDS; slot++) {
            long age = now.getEpochSecond() - seconds[slot];
            for (int kind = 0; age >= 0 && age < SECONDS && kind < KINDS; kind++) {
                sums[kind] += counts[slot][kind];
            }
        }
        return new Minute(sums[Kind.READ.ordinal()], sums[Kind.CHANGE.ordinal()]);
    }
}
