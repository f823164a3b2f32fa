package org.spillway.head.service;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.List;
import java.util.Locale;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;

/** The room in this process's heap: a head that takes jobs until none is left ends for everybody. Any thread. */
final class MemoryRoom {
    private static final int FULL_PERCENT = 85;
    private static final long AGAIN_NANOS = 60_000_000_000L;

    private final List<MemoryPoolMXBean> lasting = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP && isLasting(pool.getName()))
            .toList();
    private long lookedAt = System.nanoTime() - AGAIN_NANOS;

    /** Pools of what outlives its beginning, by the names that the JDK's collectors give them. */
    private static boolean isLasting(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return lower.contains("old") || lower.contains("tenured");
    }

    /** @throws ApiException UNAVAILABLE when what lives leaves too little */
    void need() {
        if (lasting.stream().anyMatch(MemoryRoom::isFull) && isFullStill()) {
            throw new ApiException(
                    Code.UNAVAILABLE,
                    "the head's memory is full to " + FULL_PERCENT + " %: it takes no more jobs",
                    "wait until some have ended; an administrator gives it more by SPILLWAY_JAVA_OPTS=-Xmx1g at its start");
        }
    }

    /** The figures are those of the last whole collection, after which jobs may have ended: another one a minute says. */
    private synchronized boolean isFullStill() {
        if (System.nanoTime() - lookedAt >= AGAIN_NANOS) {
            System.gc();
            lookedAt = System.nanoTime();
        }
        return lasting.stream().anyMatch(MemoryRoom::isFull);
    }

    private static boolean isFull(MemoryPoolMXBean pool) {
        MemoryUsage left = pool.getCollectionUsage();
        return left != null && isFull(left.getUsed(), left.getMax());
    }

    /** @param most -1 where there is no bound */
    static boolean isFull(long used, long most) {
        return most > 0 && used > most / 100 * FULL_PERCENT;
    }
}
