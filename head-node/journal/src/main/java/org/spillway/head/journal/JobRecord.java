package org.spillway.head.journal;

import java.time.Instant;
import org.spillway.api.JobState;
import org.spillway.head.cause.Cause;

/**
 * @param cause why it is in its state
 * @param since when it entered it
 */
public record JobRecord(String id, JobSpec spec, JobState jobState, Cause cause, Instant since, JobRun run)
        implements Entry {
    @Override
    public String kind() {
        return "job";
    }

    @Override
    public String state() {
        return jobState.name();
    }

    @Override
    public boolean isLive() {
        return !jobState.isTerminal();
    }

    public JobRecord to(JobState next, Cause why, Instant now) {
        return new JobRecord(id, spec, next, why, next == jobState ? since : now, run);
    }

    /** For listings. */
    JobRecord withoutProgram() {
        return new JobRecord(id, spec.withoutProgram(), jobState, cause, since, run);
    }

    /** As its user has changed it meanwhile, which only those may who gave it to another than the head; or with its image pinned. */
    public JobRecord with(JobSpec changed) {
        return new JobRecord(id, changed, jobState, cause, since, run);
    }

    public JobRecord with(JobRun newRun) {
        return new JobRecord(id, spec, jobState, cause, since, newRun);
    }
}
