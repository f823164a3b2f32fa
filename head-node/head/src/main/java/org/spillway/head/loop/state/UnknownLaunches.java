package org.spillway.head.loop.state;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Launches of which this head does not know what became of them, until a listing tells. Loop thread only. */
public final class UnknownLaunches {
    private final Map<String, Instant> since = new HashMap<>();

    /** No certain answer came. */
    public void unanswered(String intent, Instant now) {
        since.put(intent, now);
    }

    /** The launch was called in an earlier life of this head; when that was noticed first counts. */
    public void inherited(String intent, Instant now) {
        since.putIfAbsent(intent, now);
    }

    /** Since when its answer has not been waited for any more; null while it is. */
    public @Nullable Instant since(String intent) {
        return since.get(intent);
    }

    public void settled(String intent) {
        since.remove(intent);
    }
}
