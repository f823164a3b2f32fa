package org.spillway.head.journal;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sentences on a disk that does not do as it should: the cause's own words decide, so that no wrong repair is told. */
final class DiskTrouble {
    private static final Logger LOG = LoggerFactory.getLogger(DiskTrouble.class);
    /** A write of the journal holds up the loop and whoever submits; a good disk takes some milliseconds. */
    static final Duration SLOW = Duration.ofSeconds(1);
    /** Between two words about a slow disk. */
    private static final Duration APART = Duration.ofMinutes(1);

    /** Repairs by SQLite's result codes and the kernel's texts. */
    private static final Map<String, String> REPAIRS = Map.of(
            "SQLITE_READONLY", "its disk is mounted read-only: mount it to be written",
            "Read-only file system", "its disk is mounted read-only: mount it to be written",
            "SQLITE_IOERR", "look at the kernel's log whether its disk fails, or make room on the disk",
            "Input/output error", "look at the kernel's log whether its disk fails, or make room on the disk",
            "SQLITE_CORRUPT", "'spillway state check' says what is damaged",
            "Disk quota exceeded", "raise the quota of the head's user",
            "Too many open files", "raise the limit of open files of the head's service (LimitNOFILE, ulimit -n)");

    /** When the last word was said; none yet at the least number. */
    private long saidNanos = Long.MIN_VALUE;

    /** A write that began then has ended now. */
    void wrote(long begunNanos) {
        long now = System.nanoTime();
        slow(now - begunNanos, now).ifPresent(LOG::warn);
    }

    /** @param said by SQLite or the system */
    static String repair(String said) {
        return REPAIRS.entrySet().stream()
                .filter(repair -> said.contains(repair.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse("make room on the disk");
    }

    /**
     * The warning about a write, at most one a minute.
     *
     * @param tookNanos of the write
     * @param nowNanos of a clock that is never set
     */
    Optional<String> slow(long tookNanos, long nowNanos) {
        boolean said = saidNanos != Long.MIN_VALUE && nowNanos - saidNanos < APART.toNanos();
        if (tookNanos < SLOW.toNanos() || said) {
            return Optional.empty();
        }
        saidNanos = nowNanos;
        return Optional.of(String.format(
                java.util.Locale.ROOT,
                "a write of the journal took %.1f s: its disk is slow or busy, and jobs, requests and purchases wait for"
                        + " it; nothing is lost",
                tookNanos / 1e9));
    }
}
