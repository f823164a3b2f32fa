package org.spillway.head.loop.state;

/** The rate of a copy over the last few seconds. Times are nanoseconds of a clock that never jumps. Thread-safe. */
public final class Meter {
    private static final long WINDOW_NANOS = 2_000_000_000L;
    /** Without news for so long, nothing moves. */
    private static final long STALE_NANOS = 10_000_000_000L;

    private long fromBytes;
    private long fromNanos;
    private long markBytes;
    private long markNanos;
    private long lastBytes;
    private long lastNanos;
    private boolean begun;

    /** @param bytes so far; fewer than before begin anew */
    synchronized void note(long bytes, long nanos) {
        if (!begun || bytes < lastBytes) {
            begun = true;
            fromBytes = bytes;
            fromNanos = nanos;
            markBytes = bytes;
            markNanos = nanos;
        } else if (nanos - markNanos > WINDOW_NANOS) {
            fromBytes = markBytes;
            fromNanos = markNanos;
            markBytes = bytes;
            markNanos = nanos;
        }
        lastBytes = bytes;
        lastNanos = nanos;
    }

    /** Bytes in a second; 0 when nothing is known, or nothing moves. */
    synchronized long bytesPerSecond(long nanos) {
        long took = lastNanos - fromNanos;
        return !begun || nanos - lastNanos > STALE_NANOS || took <= 0
                ? 0
                : Math.round((lastBytes - fromBytes) * 1e9 / took);
    }
}
