package org.spillway.head.service;

import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.Journal;
import org.spillway.head.rest.Caller;

/** The allowance of one user in the queue: the head keeps live jobs in memory, with their scripts. */
final class Allowance {
    private static final int MOST_JOBS = 20_000;
    private static final long MOST_CHARACTERS = 48L * 1024 * 1024;

    private final Journal journal;

    Allowance(Journal journal) {
        this.journal = journal;
    }

    /** @throws ApiException LIMIT_EXCEEDED when this many more such jobs are too many */
    void check(Caller caller, JobSpec more, int count) {
        long jobs = count;
        long characters = count * size(more);
        for (JobRecord job : journal.jobs()) {
            if (job.spec().uid() == caller.uid()) {
                jobs++;
                characters += size(job.spec());
            }
        }
        if (jobs > MOST_JOBS || characters > MOST_CHARACTERS) {
            throw new ApiException(
                    Code.LIMIT_EXCEEDED,
                    "user " + caller.user() + " would have " + jobs + " jobs in the queue with scripts of "
                            + (characters >> 20) + " MiB together",
                    "allowed: " + MOST_JOBS + " jobs, " + (MOST_CHARACTERS >> 20)
                            + " MiB; wait until some have ended, or put what is large into an input file (--in)");
        }
    }

    private static long size(JobSpec spec) {
        return spec.program().script().length()
                + spec.program().arguments().stream().mapToLong(String::length).sum();
    }
}
