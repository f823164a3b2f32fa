package org.spillway.head.loop.jobs;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.spillway.director.wire.Report;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.JobCause;
import org.spillway.head.cause.Told;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.stage.Checksum;

/** The end of a node's part of an attempt, of what a region says: it is a claim, and may be nonsense. Pure. */
public final class RankEnd {
    /** A script that never started has no exit code of its own; this is the shell's for "cannot execute". */
    public static final int NEVER_STARTED = 126;
    /** 128 + SIGTERM: who was told to end has not finished, also when it says so. */
    private static final int TOLD_TO_END = 143;

    private static final int LONGEST_MESSAGE = 500;

    private RankEnd() {}

    static JobRun.End of(JobRecord job, Report.JobReport heard, String store, Instant now) {
        boolean refused = heard.phase() == Report.JobReport.Phase.REFUSED;
        Integer told = heard.exitCode();
        int code = refused ? NEVER_STARTED : told == null ? 255 : told;
        String said = heard.message().length() > LONGEST_MESSAGE
                ? heard.message().substring(0, LONGEST_MESSAGE)
                : heard.message();
        Checksum results = checksum(heard.results());
        boolean taken = heard.wasTakenBack();
        Cause why = taken
                ? new JobCause.TakenBack(heard.node(), false)
                : refused ? new JobCause.NodeRefused(said) : Told.of(said);
        boolean began = !refused && heard.startedEpochMillis() > 0;
        NodeTimes times = NodeTimes.of(heard.startedEpochMillis(), heard.endedEpochMillis(), job.since(), now);
        return new JobRun.End(
                began ? times.started() : null,
                refused ? now : began ? times.ended() : within(job.since(), heard.endedEpochMillis(), now),
                taken && code == 0 ? TOLD_TO_END : code,
                why,
                heard.ranAsUser(),
                store,
                results,
                inputBytes(job, heard.fetchedBytes()));
    }

    /** A node's count of what came to it is believed up to all of the input. */
    private static @Nullable Long inputBytes(JobRecord job, @Nullable Long heard) {
        JobRun.Staged staged = job.run().staged();
        Checksum bundle = staged == null ? null : staged.bundle();
        return heard == null || bundle == null || heard < 0 || heard > bundle.bytes() ? null : heard;
    }

    private static @Nullable Checksum checksum(Report.@Nullable Results results) {
        return results != null && results.bytes() >= 0 && results.sha256().matches("[0-9a-f]{64}")
                ? new Checksum(results.bytes(), results.sha256())
                : null;
    }

    /** A node's clock, as far as it can be right. */
    private static Instant within(Instant earliest, long epochMillis, Instant latest) {
        if (epochMillis < earliest.toEpochMilli()) {
            return earliest;
        }
        return epochMillis > latest.toEpochMilli() ? latest : Instant.ofEpochMilli(epochMillis);
    }
}
