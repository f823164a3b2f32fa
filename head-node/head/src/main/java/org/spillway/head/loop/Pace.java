package org.spillway.head.loop;

import java.time.Duration;

/** How long the loop rests between two ticks; requests are served all the while. */
final class Pace {
    private static final Duration WHEN_BUSY = Duration.ofMillis(100);
    /** Between two ticks at least, so that requests share their writes and do not each bring a tick along. */
    private static final Duration SHORTEST = Duration.ofMillis(20);
    /** A tick that changes only called for comes after this many times as long as the last one took. */
    private static final int TIMES_FOR_CHANGES = 4;
    /** The same of one that nothing called for: who waits for money with ten thousand jobs keeps no core busy. */
    private static final int TIMES = 10;
    /** A tick in which the process stood still for minutes is no reason to rest as long. */
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private Pace() {}

    /** Kinds of what has come since the last tick. */
    enum Call {
        NONE,
        /** An effect's end, or a question. */
        WAKE,
        /** A change that was written, such as a submission. */
        CHANGE;

        Call and(Call other) {
            return compareTo(other) >= 0 ? this : other;
        }
    }

    /**
     * The rest between two ticks: as long as the last tick took, so that requests have as much of the loop as ticks. Who
     * submits a thousand jobs waits for each answer, and has four times as much, though no tick is put off for longer than
     * if nobody had called. No rest is longer than five seconds or than {@code tick}.
     *
     * @param took the last tick
     * @param tick the longest rest while nothing is expected to change
     */
    static Duration rest(Duration took, Duration tick, boolean busy, Call call) {
        Duration shortest = max(SHORTEST, min(took, LONGEST));
        return switch (call) {
            case NONE -> max(shortest, busy ? min(tick, max(WHEN_BUSY, took.multipliedBy(TIMES))) : tick);
            case WAKE -> shortest;
            case CHANGE -> max(shortest, min(tick, took.multipliedBy(TIMES_FOR_CHANGES)));
        };
    }

    private static Duration max(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
