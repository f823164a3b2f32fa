package org.spillway.api;

import java.util.EnumSet;
import java.util.Set;

/** A job's states. */
public enum JobState {
    /** Accepted and durable. */
    SUBMITTED,
    /** Cannot go on now; the reason stands on the job. */
    HELD,
    /** The job's input is on the way to its site. */
    STAGING_IN,
    /** The job's input is verified; it may be given to a node. */
    QUEUED,
    /** Bound to a node under an attempt number. */
    RUNNING,
    /** The job's attempt has ended; results are on the way home. */
    STAGING_OUT,
    DONE,
    FAILED,
    CANCELLED;

    public boolean isTerminal() {
        return this == DONE || this == FAILED || this == CANCELLED;
    }

    /** Whether it has not started yet: it waits in its queue, its input may be on the way. */
    public boolean waitsToStart() {
        return switch (this) {
            case SUBMITTED, HELD, STAGING_IN, QUEUED -> true;
            case RUNNING, STAGING_OUT, DONE, FAILED, CANCELLED -> false;
        };
    }

    /** Whether it runs, or its results come home. */
    public boolean hasStarted() {
        return this == RUNNING || this == STAGING_OUT;
    }

    /** States that may follow this one; the journal refuses any other step. */
    public Set<JobState> next() {
        return switch (this) {
            // DONE straight away: a job of another manager that ran where it needed nothing of the head.
            case SUBMITTED -> EnumSet.of(HELD, STAGING_IN, DONE, FAILED, CANCELLED);
            case HELD -> EnumSet.of(STAGING_IN, DONE, FAILED, CANCELLED);
            case STAGING_IN -> EnumSet.of(HELD, QUEUED, DONE, FAILED, CANCELLED);
            // Back to STAGING_IN when the director's staging space was lost with its instance.
            case QUEUED -> EnumSet.of(RUNNING, STAGING_IN, HELD, DONE, FAILED, CANCELLED);
            // DONE straight away: the other manager says that it ended well, and there is nothing to bring home.
            case RUNNING -> EnumSet.of(QUEUED, STAGING_OUT, DONE, FAILED, CANCELLED);
            // Back to QUEUED when an attempt's results were lost with the staging space before they were home.
            case STAGING_OUT -> EnumSet.of(DONE, FAILED, CANCELLED, QUEUED);
            case DONE, FAILED, CANCELLED -> EnumSet.noneOf(JobState.class);
        };
    }
}
