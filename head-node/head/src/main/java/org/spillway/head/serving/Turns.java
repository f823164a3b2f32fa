package org.spillway.head.serving;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Turns of users at what can be done for all of them at once. Users come by turns and not requests: one with many waits
 * behind others with one. Any thread.
 */
public final class Turns {
    private final int atOnce;
    private final int atOnceOfOne;
    private final Map<Integer, Integer> running = new HashMap<>();
    private final Map<Integer, Deque<CountDownLatch>> waiting = new LinkedHashMap<>();
    private int total;

    /** @param atOnce of all, 1 or more @param atOnceOfOne of one user, 1 or more */
    public Turns(int atOnce, int atOnceOfOne) {
        this.atOnce = atOnce;
        this.atOnceOfOne = atOnceOfOne;
    }

    /**
     * Waits for a turn; after true {@link #end} has to follow.
     *
     * @return false when none came for so long
     */
    public boolean begin(int uid, Duration patience) throws InterruptedException {
        CountDownLatch turn = new CountDownLatch(1);
        synchronized (this) {
            waiting.computeIfAbsent(uid, none -> new ArrayDeque<>()).add(turn);
            next();
        }
        boolean mine = false;
        try {
            mine = turn.await(patience.toNanos(), TimeUnit.NANOSECONDS);
        } finally {
            if (!mine && !leaves(uid, turn)) {
                // The turn came in the very moment in which its user went.
                end(uid);
            }
        }
        return mine;
    }

    private synchronized boolean leaves(int uid, CountDownLatch turn) {
        Deque<CountDownLatch> line = waiting.get(uid);
        if (line == null || !line.remove(turn)) {
            return false;
        }
        if (line.isEmpty()) {
            waiting.remove(uid);
        }
        return true;
    }

    /** A turn is over. */
    public synchronized void end(int uid) {
        total--;
        running.computeIfPresent(uid, (key, now) -> now == 1 ? null : now - 1);
        next();
    }

    private void next() {
        for (Optional<Integer> user = nextUser(); user.isPresent(); user = nextUser()) {
            int uid = user.get();
            Deque<CountDownLatch> line = waiting.remove(uid);
            if (line == null) {
                return;
            }
            CountDownLatch turn = line.remove();
            if (!line.isEmpty()) {
                waiting.put(uid, line);
            }
            total++;
            running.merge(uid, 1, Integer::sum);
            turn.countDown();
        }
    }

    /** Of those that wait, the one whose last turn is longest ago. */
    private Optional<Integer> nextUser() {
        return total >= atOnce
                ? Optional.empty()
                : waiting.keySet().stream()
                        .filter(uid -> running.getOrDefault(uid, 0) < atOnceOfOne)
                        .findFirst();
    }
}
