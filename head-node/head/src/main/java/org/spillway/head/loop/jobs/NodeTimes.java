package org.spillway.head.loop.jobs;

import java.time.Duration;
import java.time.Instant;

/**
 * Begin and end of a script by its node's clock, brought into the time in which the head knows them to be: what a wrong
 * clock says of their distance is as good as a right one's. Pure.
 */
record NodeTimes(Instant started, Instant ended) {
    /**
     * @param startedMillis since the epoch, as the node says; any number
     * @param earliest when the node was told to run it
     * @param latest when its end was heard of, not before {@code earliest}
     */
    static NodeTimes of(long startedMillis, long endedMillis, Instant earliest, Instant latest) {
        Duration most = Duration.between(earliest, latest);
        long lasted = Math.clamp(saturated(endedMillis, startedMillis), 0, most.toMillis());
        boolean plausible = startedMillis >= earliest.toEpochMilli() && endedMillis <= latest.toEpochMilli();
        if (plausible && endedMillis >= startedMillis) {
            return new NodeTimes(Instant.ofEpochMilli(startedMillis), Instant.ofEpochMilli(endedMillis));
        }
        // A clock that is behind by some moments: the begin is known. Else the end is.
        Instant begun = startedMillis < earliest.toEpochMilli() && endedMillis >= earliest.toEpochMilli()
                ? earliest
                : latest.minusMillis(lasted);
        return new NodeTimes(begun, begun.plusMillis(lasted));
    }

    private static long saturated(long end, long begin) {
        try {
            return Math.subtractExact(end, begin);
        } catch (ArithmeticException nonsense) {
            return Long.MAX_VALUE;
        }
    }
}
