package org.spillway.head.link;

import org.jspecify.annotations.Nullable;

/**
 * How many connections a site's copies have. It begins with one, and has more as long as they bring at least a tenth
 * more bytes a second; what brought nothing is given back, and tried again later, ever more rarely. Now and then fewer
 * are tried, too: those that are not missed stay away. It only judges times in which all of them were in use. Pure.
 *
 * @param most 1 or more
 * @param count 1 to {@code most}
 * @param trial of another count; null for none
 * @param window in which bytes are counted; null before it begins
 * @param quietNanos between two trials, since the last one brought nothing
 * @param nextNanos before that no trial begins
 * @param downNext the next trial is of fewer
 */
record StreamCount(
        int most,
        int count,
        @Nullable Trial trial,
        @Nullable Window window,
        long quietNanos,
        long nextNanos,
        boolean downNext) {
    /** A new connection has to fill its window first, and one that is full says how fast the line is. */
    static final long SETTLE_NANOS = 300_000_000L;

    static final long MEASURE_NANOS = 400_000_000L;
    private static final long FIRST_QUIET_NANOS = 5_000_000_000L;
    private static final long MOST_QUIET_NANOS = 60_000_000_000L;
    private static final double GAIN = 1.1;
    /** Of the rate that there was: less is a loss. */
    private static final double NOT_MISSED = 0.97;

    /** @param before connections that there were, which had {@code rate} bytes a second */
    record Trial(int before, double rate) {}

    /** @param bytes that had been moved at {@code fromNanos}; less than 0 while that is to come */
    record Window(long fromNanos, long bytes) {}

    StreamCount {
        if (most < 1 || count < 1 || count > most) {
            throw new IllegalArgumentException(count + " of " + most + " connections");
        }
    }

    /**
     * @param count to begin with
     * @param nowNanos of a clock that only goes forward
     */
    static StreamCount begun(int most, int count, long nowNanos) {
        return new StreamCount(most, count, null, null, FIRST_QUIET_NANOS, nowNanos, false);
    }

    /**
     * The next state follows from one look. Looks are to be many while something is copied.
     *
     * @param bytes moved so far, by all connections
     * @param isFull whether all connections are in use, and more would be used
     */
    StreamCount at(long nowNanos, long bytes, boolean isFull) {
        Window open = window;
        if (!isFull) {
            return open == null ? this : with(null);
        }
        if (open == null) {
            return with(new Window(nowNanos + SETTLE_NANOS, -1));
        }
        if (open.bytes < 0) {
            return nowNanos < open.fromNanos ? this : with(new Window(nowNanos, bytes));
        }
        long took = nowNanos - open.fromNanos;
        return took < MEASURE_NANOS ? this : judged(nowNanos, 1e9 * (bytes - open.bytes) / took);
    }

    /** The far side has refused one more: the others stay, and more are not tried soon. */
    StreamCount refused(int open, long nowNanos) {
        return back(Math.clamp(open, 1, count), nowNanos, true);
    }

    private StreamCount judged(long now, double rate) {
        Trial made = trial;
        if (made == null) {
            return now < nextNanos ? with(null) : tried(now, rate);
        }
        if (count < made.before) {
            return rate >= made.rate * NOT_MISSED ? kept(now, true) : back(made.before, now, false);
        }
        if (rate < made.rate * GAIN) {
            return back(made.before, now, true);
        }
        StreamCount kept = kept(now, false);
        return now < kept.nextNanos ? kept : kept.tried(now, rate);
    }

    /** A trial begins, where there is anything to be tried. */
    private StreamCount tried(long now, double rate) {
        boolean isDown = count > 1 && (downNext || count == most);
        if (!isDown && count == most) {
            return with(null);
        }
        int next = isDown ? count - 1 : Math.min(most, count + Math.max(1, count / 2));
        return new StreamCount(most, next, new Trial(count, rate), null, quietNanos, now, downNext);
    }

    private StreamCount kept(long now, boolean isDownNext) {
        long next = count == most ? now + FIRST_QUIET_NANOS : now;
        return new StreamCount(most, count, null, null, FIRST_QUIET_NANOS, next, isDownNext);
    }

    private StreamCount back(int before, long now, boolean isDownNext) {
        long quiet = Math.min(2 * quietNanos, MOST_QUIET_NANOS);
        return new StreamCount(most, before, null, null, quiet, now + quietNanos, isDownNext);
    }

    private StreamCount with(@Nullable Window other) {
        return new StreamCount(most, count, trial, other, quietNanos, nextNanos, downNext);
    }
}
