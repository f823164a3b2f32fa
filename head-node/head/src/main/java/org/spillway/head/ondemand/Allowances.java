package org.spillway.head.ondemand;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;

/** Allowances of children, as the journal says them. Any thread, the loop's among them; waits for nothing. */
public interface Allowances {
    /**
     * The allowance of this token's bearer, if the token was given to the holder of this certificate. Empty for a token
     * that is not known, that was taken back, or that comes with another certificate. One whose time is over is
     * returned all the same, for the sentence that says so.
     *
     * @param tokenSha256 hex SHA-256 of the token's text
     * @param certificateSha256 hex SHA-256 of the client certificate (DER)
     */
    Optional<Allowance> find(String tokenSha256, String certificateSha256);

    /** Compares two digests in a time that tells nothing about where they differ. */
    static boolean same(String one, String other) {
        return MessageDigest.isEqual(
                one.getBytes(StandardCharsets.US_ASCII), other.getBytes(StandardCharsets.US_ASCII));
    }
}
