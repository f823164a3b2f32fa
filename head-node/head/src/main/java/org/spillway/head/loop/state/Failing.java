package org.spillway.head.loop.state;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Since when copies of a job's data have failed each time. Loop thread only. */
public final class Failing {
    private final Map<String, Stuck> stageIn = new HashMap<>();
    private final Map<String, Row> stageOut = new HashMap<>();

    private record Row(Instant since, int tries) {}

    /** @param bytes the most that any try of this row had moved */
    private record Stuck(Instant since, long bytes) {}

    /**
     * A try has failed. One that came further than all before it begins a new row: what takes long is not stuck.
     *
     * @param moved how far it came, in bytes
     * @return when the first try of this row failed
     */
    public Instant stageInFailed(String job, long moved, Instant now) {
        return stageIn.merge(job, new Stuck(now, moved), (row, last) -> last.bytes > row.bytes ? last : row).since;
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

    /** The next try begins a new row. */
    public void stageInAnew(String job) {
        stageIn.remove(job);
    }

    /** Null when the last try did not fail. */
    public @Nullable Instant stageInSince(String job) {
        Stuck row = stageIn.get(job);
        return row == null ? null : row.since;
    }

    public boolean isStageIn(String job) {
        return stageIn.containsKey(job);
    }

    void forget(String job) {
        stageIn.remove(job);
        stageOut.remove(job);
    }
}
