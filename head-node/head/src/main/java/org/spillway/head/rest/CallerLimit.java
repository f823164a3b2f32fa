package org.spillway.head.rest;

import java.util.HashMap;
import java.util.Map;

/** How many requests of one user are answered at the same time, so that one user does not take all threads. */
final class CallerLimit {
    private final int most;
    private final Map<Integer, Integer> underWay = new HashMap<>();

    CallerLimit(int most) {
        this.most = most;
    }

    /** Whether one more of this user may begin; then {@link #end} must follow. */
    synchronized boolean begin(int uid) {
        int now = underWay.getOrDefault(uid, 0);
        if (now >= most) {
            return false;
        }
        underWay.put(uid, now + 1);
        return true;
    }

    synchronized void end(int uid) {
        underWay.computeIfPresent(uid, (key, now) -> now == 1 ? null : now - 1);
    }
}
