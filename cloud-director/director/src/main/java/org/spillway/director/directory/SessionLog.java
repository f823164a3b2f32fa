package org.spillway.director.directory;

import com.unboundid.ldap.sdk.ReadOnlyEntry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The last changes of a store, numbered without gaps. Readers hold a position and no queue of their own: one that is
 * slower than the log is long is told so, and costs no memory.
 */
final class SessionLog {
    private final int capacity;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition grown = lock.newCondition();
    private final Deque<Change> changes = new ArrayDeque<>();
    private final List<Reader> readers = new ArrayList<>();
    private long last;

    SessionLog(int capacity) {
        this.capacity = capacity;
    }

    /**
     * @param before the entry's name before the change when the change removed it
     * @param packed null when it was deleted
     */
    record Change(
            long number, UUID id, String before, @Nullable PackedEntry packed) {
        @Nullable
        ReadOnlyEntry entry() {
            return packed == null ? null : packed.entry();
        }
    }

    void append(UUID id, String before, @Nullable PackedEntry entry) {
        lock.lock();
        try {
            changes.addLast(new Change(++last, id, before, entry));
            if (changes.size() > capacity) {
                changes.removeFirst();
            }
            readers.removeIf(reader -> {
                boolean overrun = reader.position < last - changes.size();
                if (overrun) {
                    reader.stopped = true;
                    // Closing a socket may take time, and the writer of the store must not wait for a slow reader.
                    Thread.startVirtualThread(reader.onOverrun);
                }
                return overrun;
            });
            grown.signalAll();
        } finally {
            lock.unlock();
        }
    }

    long last() {
        lock.lock();
        try {
            return last;
        } finally {
            lock.unlock();
        }
    }

    /** All changes after a number; empty when the log does not reach back so far or never was there. */
    Optional<List<Change>> after(long number) {
        lock.lock();
        try {
            if (number > last || number < last - changes.size()) {
                return Optional.empty();
            }
            return Optional.of(
                    changes.stream().filter(change -> change.number > number).toList());
        } finally {
            lock.unlock();
        }
    }

    /** A reader that stands behind {@code position}; {@code onOverrun} runs once when the log has left it behind. */
    Reader reader(long position, Runnable onOverrun) {
        Reader reader = new Reader(position, onOverrun);
        lock.lock();
        try {
            readers.add(reader);
        } finally {
            lock.unlock();
        }
        return reader;
    }

    final class Reader {
        private final Runnable onOverrun;
        private long position;
        private boolean stopped;

        private Reader(long position, Runnable onOverrun) {
            this.position = position;
            this.onOverrun = onOverrun;
        }

        /** Up to {@code most} changes, none when there was none in time, empty when the reader has been stopped. */
        Optional<List<Change>> next(int most, Duration patience) throws InterruptedException {
            lock.lock();
            try {
                long nanos = patience.toNanos();
                while (!stopped && position >= last && nanos > 0) {
                    nanos = grown.awaitNanos(nanos);
                }
                long missing = last - changes.size() - position;
                if (!stopped && missing > 0) {
                    stopped = true;
                    readers.remove(this);
                    Thread.startVirtualThread(onOverrun);
                }
                if (stopped) {
                    return Optional.empty();
                }
                // The numbers have no gaps, so what is new is the tail.
                return Optional.of(changes.stream().skip(-missing).limit(most).toList());
            } finally {
                lock.unlock();
            }
        }

        void advance(long number) {
            lock.lock();
            try {
                position = number;
            } finally {
                lock.unlock();
            }
        }

        void stop() {
            lock.lock();
            try {
                stopped = true;
                readers.remove(this);
                grown.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }
}
