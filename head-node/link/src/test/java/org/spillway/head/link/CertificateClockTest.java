package org.spillway.head.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.security.cert.CertificateExpiredException;
import java.time.Instant;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

/** I7: a wrong clock is told as one. */
final class CertificateClockTest {
    private static final Instant NOW = Instant.parse("2031-01-01T00:00:00Z");

    @Test
    void whoseClockItMayBeIsSaid() {
        var ours = new SSLHandshakeException("PKIX path validation failed");
        ours.initCause(new IOException(new CertificateExpiredException("NotAfter: Tue Nov 24 00:00:00 UTC 2027")));
        assertThat(CertificateClock.of(ours, NOW))
                .hasValueSatisfying(
                        text -> assertThat(text).contains("2031-01-01", "NotAfter", "this machine's clock"));
        var theirs = new IOException(new SSLHandshakeException("Received fatal alert: certificate_expired"));
        assertThat(CertificateClock.of(theirs, NOW))
                .hasValueSatisfying(text -> assertThat(text).contains("by its clock"));
        assertThat(CertificateClock.of(new IOException("Connection refused"), NOW))
                .isEmpty();
    }
}
