package org.spillway.head.loop.state;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Since when copies of a job's data have failed each time. Loop thread only. */
public final class Failing {
    private final Map<String, Instant> stageIn = new HashMap<>();
    private final Map<String, Instant> stageOut = new HashMap<>();

    /** A try has failed. @return when the first of this row did */
    public Instant stageInFailed(String job, Instant now) {
        return first(stageIn, job, now);
    }

    /** As {@link #stageInFailed}. */
    public Instant stageOutFailed(String job, Instant now) {
        return first(stageOut, job, now);
    }

    private static Instant first(Map<String, Instant> since, String job, Instant now) {
        return since.computeIfAbsent(job, any -> now);
    }

    /** The next try begins a new row. */
    public void stageInAnew(String job) {
        stageIn.remove(job);
    }

    /** Null when the last try did not fail. */
    public @Nullable Instant stageInSince(String job) {
        return stageIn.get(job);
    }

    public boolean isStageIn(String job) {
        return stageIn.containsKey(job);
    }

    void forget(String job) {
        stageIn.remove(job);
        stageOut.remove(job);
    }
}
