package org.spillway.stage.pull;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Servers that want to be left alone, and until when. May be used by several threads. */
public final class Pauses {
    private static final Duration LONGEST = Duration.ofDays(1);

    private final Map<String, Instant> until = new ConcurrentHashMap<>();

    void asked(String server, Duration pause, Instant now) {
        Instant then = now.plus(pause.compareTo(LONGEST) > 0 ? LONGEST : pause);
        until.merge(server, then, (one, other) -> one.isAfter(other) ? one : other);
    }

    /** Zero when it may be asked. */
    Duration left(String server, Instant now) {
        Instant then = until.get(server);
        if (then == null || !then.isAfter(now)) {
            until.remove(server, then == null ? Instant.MIN : then);
            return Duration.ZERO;
        }
        return Duration.between(now, then);
    }
}
