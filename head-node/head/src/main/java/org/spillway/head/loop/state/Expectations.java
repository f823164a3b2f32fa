package org.spillway.head.loop.state;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.spillway.head.placement.Prospect;

/** The prospect of each waiting job, as last decided. Written by the loop alone, read by any thread. */
public final class Expectations {
    private final Map<String, Prospect> prospects = new ConcurrentHashMap<>();

    public void is(String job, Prospect prospect) {
        prospects.put(job, prospect);
    }

    /** Null while nothing was decided. */
    public @Nullable Prospect of(String job) {
        return prospects.get(job);
    }

    void forget(String job) {
        prospects.remove(job);
    }
}
