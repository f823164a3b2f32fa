package org.spillway.head.loop.state;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Since when copies of a job's data have failed each time. Loop thread only. */
public final class Failing {
    private final Map<String, Instant> stageIn = new HashMap<>();
    private final Map<String, Row> stageOut = new HashMap<>();

    private record Row(Instant since, int tries) {}

    /** A try has failed. @return when the first of this row did */
    public Instant stageInFailed(String job, Instant now) {
        return first(stageIn, job, now);
    }

    /** As {@link #stageInFailed}, of tries to bring results home and to put them in their places. */
    public Instant stageOutFailed(String job, Instant now) {
        return stageOut.merge(job, new Row(now, 1), (row, one) -> new Row(row.since, row.tries + 1)).since;
    }

    /** Failed tries in a row. */
    public int stageOutTries(String job) {
        Row row = stageOut.get(job);
        return row == null ? 0 : row.tries;
    }

    /** The next try begins a new row. */
    public void stageOutAnew(String job) {
        stageOut.remove(job);
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
