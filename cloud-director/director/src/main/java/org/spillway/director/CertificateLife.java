package org.spillway.director;

import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;

/** From when until when a certificate is good. */
record CertificateLife(Instant from, Instant until) {
    static CertificateLife of(X509Certificate certificate) {
        return new CertificateLife(
                certificate.getNotBefore().toInstant(),
                certificate.getNotAfter().toInstant());
    }

    /** Two thirds of it are over: a third is left in which head, director or node may be away. */
    boolean isDue(Instant now) {
        Duration life = Duration.between(from, until);
        return !now.isBefore(from.plus(life.multipliedBy(2).dividedBy(3)));
    }
}
