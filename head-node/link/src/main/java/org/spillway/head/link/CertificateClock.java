package org.spillway.head.link;

import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/** A clock that makes a certificate look old, told as such. */
final class CertificateClock {
    private static final int DEEPEST = 20;

    private CertificateClock() {}

    /** @param now by this machine's clock @return empty when the failure has to do with no clock */
    static Optional<String> of(Throwable failure, Instant now) {
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
            if (cause instanceof CertificateExpiredException || cause instanceof CertificateNotYetValidException) {
                return Optional.of("its certificate is not of this time (" + cause.getMessage() + "), which is " + now
                        + " by this machine's clock: see whether that is right");
            }
            // OpenSSL and Java name the alert alike (RFC 8446, 6.2).
            if (String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT).contains("certificate_expired")) {
                return Optional.of("by its clock the head's certificate has expired: see whether that clock is right;"
                        + " here it is " + now);
            }
            cause = cause.getCause();
        }
        return Optional.empty();
    }
}
