package org.spillway.scaler.policyhost;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A version of a policy's file that passed the check, or did not.
 *
 * @param digest SHA-256 of the file
 * @param taken whether it passed
 * @param since when it was taken or refused
 * @param until when it was replaced; null while it is the newest
 * @param why it was refused or replaced; empty while it is the newest
 * @param strikes how often it failed in all
 */
public record PolicyVersion(
        String file,
        String digest,
        boolean taken,
        Instant since,
        @Nullable Instant until,
        String why,
        int strikes) {
    PolicyVersion ended(Instant now, String reason) {
        return new PolicyVersion(file, digest, taken, since, now, reason, strikes);
    }

    PolicyVersion struck() {
        return new PolicyVersion(file, digest, taken, since, until, why, strikes + 1);
    }
}
