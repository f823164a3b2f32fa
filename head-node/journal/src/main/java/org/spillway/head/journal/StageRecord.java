package org.spillway.head.journal;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.Told;

/**
 * Files of a user that are brought to a site ahead of any job, and kept there.
 *
 * @param id {@code stage-} and letters or digits
 * @param data its inputs, and the folder that they were named from
 * @param since when it came into its status
 * @param keepSeconds for so long it is kept, from when it is there
 * @param staged what is there; null before
 * @param usedAt when a job of its user last had the same; null before
 * @param why it is in its status; empty when nothing needs saying
 */
public record StageRecord(
        String id,
        JobSpec.Owner owner,
        String site,
        JobSpec.Data data,
        Status status,
        Instant since,
        long keepSeconds,
        JobRun.@Nullable Staged staged,
        @Nullable Instant usedAt,
        String why)
        implements Entry {

    /** Stages of a stage. */
    public enum Status {
        /** The site is waited for, or the files are on their way. */
        WAITING,
        THERE,
        /** The files are not wanted any more, and still are to be removed. */
        GOING,
        GONE,
        /** The user has to do something about it. */
        FAILED
    }

    @Override
    public String kind() {
        return "stage";
    }

    @Override
    public String state() {
        return status.name();
    }

    @Override
    public Cause cause() {
        return Told.of(why);
    }

    @Override
    public boolean isLive() {
        return switch (status) {
            case WAITING, THERE, GOING -> true;
            case GONE, FAILED -> false;
        };
    }

    /** Whether its site is to have a director for it. */
    public boolean needsSite() {
        return status == Status.WAITING || status == Status.THERE;
    }

    /** Until when it is kept; null as long as it is not there. */
    public @Nullable Instant keptUntil() {
        return status == Status.THERE ? since.plusSeconds(keepSeconds) : null;
    }

    public StageRecord to(Status next, String reason, Instant now) {
        return new StageRecord(id, owner, site, data, next, now, keepSeconds, staged, usedAt, reason);
    }

    public StageRecord withStaged(JobRun.Staged what) {
        return new StageRecord(id, owner, site, data, status, since, keepSeconds, what, usedAt, why);
    }

    /** Wanted anew, from now on for so long. */
    public StageRecord again(long seconds, Instant now) {
        return new StageRecord(id, owner, site, data, Status.WAITING, now, seconds, staged, usedAt, "");
    }

    public StageRecord used(Instant now) {
        return new StageRecord(id, owner, site, data, status, since, keepSeconds, staged, now, why);
    }
}
