package org.spillway.head.service;

import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.JobSubmission;
import org.spillway.head.journal.UserLoads.Load;
import org.spillway.head.limits.QueueLimits;
import org.spillway.head.rest.Caller;

/** The allowance of users in the queue, asked before anything is stored. */
final class Allowance {
    private final QueueLimits limits;

    Allowance(QueueLimits limits) {
        this.limits = limits;
    }

    /** Before the tasks of an array are made. @throws ApiException LIMIT_EXCEEDED for too many */
    void check(JobSubmission.ArrayRange array) {
        if (array.size() > limits.arrayTasks()) {
            throw new ApiException(
                    Code.LIMIT_EXCEEDED,
                    "the array has " + array.size() + " tasks",
                    "allowed in one array: " + limits.arrayTasks() + "; submit it in parts");
        }
    }

    /**
     * @param own of the user's jobs, with those that are to come
     * @param all of all users' jobs, with those that are to come
     * @throws ApiException LIMIT_EXCEEDED for too many
     */
    void check(Caller caller, Load own, int all) {
        if (own.jobs() > limits.jobsPerUser()) {
            throw new ApiException(
                    Code.LIMIT_EXCEEDED,
                    "user " + caller.user() + " would have " + own.jobs() + " jobs in the queue",
                    "allowed: " + limits.jobsPerUser() + " of one user; wait until some have ended");
        }
        if (own.bytes() > limits.textBytesPerUser()) {
            throw new ApiException(
                    Code.LIMIT_EXCEEDED,
                    "the " + own.jobs() + " jobs that user " + caller.user()
                            + " would have in the queue hold " + mebibytes(own.bytes())
                            + " in scripts, arguments, environments and paths",
                    "allowed: " + mebibytes(limits.textBytesPerUser())
                            + "; wait until some have ended, or put what is large into an input file (--in)");
        }
        if (all > limits.jobs()) {
            throw new ApiException(
                    Code.LIMIT_EXCEEDED,
                    "there would be " + all + " jobs in the queue, of all users",
                    "allowed: " + limits.jobs() + "; wait until some have ended");
        }
    }

    private static String mebibytes(long bytes) {
        return ((bytes + (1 << 20) - 1) >> 20) + " MiB";
    }
}
