package org.spillway.head.service;

import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.head.journal.UserLoads.Load;
import org.spillway.head.rest.Caller;

/** The allowance of one user in the queue: the head keeps live jobs in memory, with their scripts. */
final class Allowance {
    private static final int MOST_JOBS = 20_000;
    private static final long MOST_CHARACTERS = 48L * 1024 * 1024;

    private Allowance() {}

    /** @param all of the user's jobs, with those that are to come @throws ApiException LIMIT_EXCEEDED for too many */
    static void check(Caller caller, Load all) {
        if (all.jobs() > MOST_JOBS || all.characters() > MOST_CHARACTERS) {
            throw new ApiException(
                    Code.LIMIT_EXCEEDED,
                    "user " + caller.user() + " would have " + all.jobs() + " jobs in the queue with scripts of "
                            + (all.characters() >> 20) + " MiB together",
                    "allowed: " + MOST_JOBS + " jobs, " + (MOST_CHARACTERS >> 20)
                            + " MiB; wait until some have ended, or put what is large into an input file (--in)");
        }
    }
}
