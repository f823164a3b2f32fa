package org.spillway.head.loop.state;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** Jobs that budget or limits refused a moment ago: neither nodes nor a place in the queue are kept for them. Loop thread only. */
public final class Unpaid {
    private final Map<String, Instant> until = new HashMap<>();

    public void refuse(String job, Instant then) {
        until.put(job, then);
    }

    public boolean isRefused(String job, Instant now) {
        Instant then = until.get(job);
        if (then != null && !now.isBefore(then)) {
            until.remove(job);
            return false;
        }
        return then != null;
    }

    void forget(String job) {
        until.remove(job);
    }
}
