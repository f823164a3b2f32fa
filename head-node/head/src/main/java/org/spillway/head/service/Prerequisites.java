package org.spillway.head.service;

import java.util.List;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.JobState;
import org.spillway.api.JobSubmission;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.Journal;
import org.spillway.head.rest.Caller;

/**
 * The jobs that a submission waits for. They were submitted before, so that there is no circle of them. Another user's
 * job looks just like no job.
 */
record Prerequisites(Journal journal) {
    /** @throws ApiException BAD_REQUEST for one that is not there, or will never be what is waited for */
    void check(Caller caller, List<JobSubmission.Dependency> after) {
        for (JobSubmission.Dependency one : after) {
            List<JobRecord> jobs = journal.job(one.job())
                    .map(List::of)
                    .orElseGet(() -> journal.store().tasks(one.job()));
            boolean sees =
                    caller.admin() || jobs.stream().allMatch(job -> job.spec().uid() == caller.uid());
            if (jobs.isEmpty() || !sees) {
                throw new ApiException(
                        Code.BAD_REQUEST,
                        "there is no job '" + one.job() + "' to wait for",
                        "'spillway queue --all' lists your jobs");
            }
            if (one.onlyIfDone()) {
                jobs.forEach(Prerequisites::canBeDone);
            }
        }
    }

    private static void canBeDone(JobRecord job) {
        if (!job.isLive() && job.jobState() != JobState.DONE) {
            throw new ApiException(
                    Code.BAD_REQUEST,
                    "it would never start: job " + job.id() + ", which it waits for, is " + job.jobState()
                            + (job.reason().isEmpty() ? "" : " (" + job.reason() + ")"),
                    "--after-any starts it after any end");
        }
    }
}
