package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.Report.JobReport.Phase;

/** I7, on sockets: a node whose certificate ends in seconds outlives it, with its job. */
@Tag("processes")
final class NodeRenewalTest extends OnNodes {
    @Test
    void aNodeOutlivesTheCertificateThatItJoinedWith() throws Exception {
        site.leaseSeconds = 20;
        // Due at once, since it bears an hour that is over.
        Duration life = Duration.ofSeconds(90);
        site.firstCertificates = life;
        TestInstance instance = nodes.instance("r1");
        instance.boot(site.userData());
        site.until("admitted", report -> !site.joins.isEmpty());
        Instant end = Instant.now().plus(life);
        String first = site.joins.values().iterator().next().certificate().strip();
        site.untilReady(instance.id);
        nodes.order("long", instance, "while [ ! -e " + folder + "/go ]; do sleep 0.1; done\n");
        site.untilPhase("long", Phase.RUNNING);
        Path own = instance.disk.resolve("spillway/node.pem");
        site.until("another certificate", report -> {
            assertThat(instance.poweredOff()).isFalse();
            return !read(own).contains(first);
        });
        assertThat(read(own)).contains("PRIVATE KEY").contains("BEGIN CERTIFICATE");
        assertThat(publicKey(read(own))).as("a new key").isNotEqualTo(publicKey(first));
        site.until("the first one is over, and a lease on top", report -> {
            assertThat(instance.poweredOff()).isFalse();
            return Instant.now().isAfter(end.plusSeconds(site.leaseSeconds + 1));
        });
        assertThat(site.sync().nodes().getFirst().renewal()).isNull();
        Files.writeString(folder.resolve("go"), "");
        assertThat(site.untilPhase("long", Phase.ENDED).exitCode()).isZero();
        assertThat(instance.console()).contains("the certificate is renewed");
    }

    /** Of the certificate in it. */
    private static PublicKey publicKey(String pem) throws GeneralSecurityException {
        String certificate = pem.substring(pem.indexOf("-----BEGIN CERTIFICATE-----"));
        return CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(certificate.getBytes(StandardCharsets.US_ASCII)))
                .getPublicKey();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
