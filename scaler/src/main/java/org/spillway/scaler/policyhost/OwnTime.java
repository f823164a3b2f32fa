package org.spillway.scaler.policyhost;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Time of one thread that is its own doing: what it computes, by the kernel's account, and what it sleeps or waits, as it is
 * seen at looks. Time in which it only waits for a core belongs to the machine's load and is not counted.
 */
final class OwnTime {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Thread thread;
    private final LongSupplier nanos;
    private final AtomicLong waitedNanos = new AtomicLong();
    private long lookedAt;

    /** @param nanos a clock that never goes back */
    OwnTime(Thread thread, LongSupplier nanos) {
        this.thread = thread;
        this.nanos = nanos;
        lookedAt = nanos.getAsLong();
    }

    /**
     * Looks whether it waits; by one thread, again and again.
     *
     * @param mostNanos that a look stands for: one that comes late says nothing of the time before
     */
    void look(long mostNanos) {
        long now = nanos.getAsLong();
        if (waits(thread.getState())) {
            waitedNanos.addAndGet(Math.min(now - lookedAt, mostNanos));
        }
        lookedAt = now;
    }

    private static boolean waits(Thread.State state) {
        return switch (state) {
            case WAITING, TIMED_WAITING, BLOCKED -> true;
            case NEW, RUNNABLE, TERMINATED -> false;
        };
    }

    /** Nanoseconds since the thread began; that of a thread that is over is what it waited. */
    long nanos() {
        long computed = thread.threadId() == Thread.currentThread().threadId()
                ? THREADS.getCurrentThreadCpuTime()
                : THREADS.getThreadCpuTime(thread.threadId());
        return Math.max(0, computed) + waitedNanos.get();
    }
}
