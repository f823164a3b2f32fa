package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
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
        site.leaseSeconds = 6;
        site.firstCertificates = Duration.ofSeconds(12);
        TestInstance instance = nodes.instance("r1");
        instance.boot(site.userData());
        Instant end = Instant.now().plusSeconds(12);
        site.untilReady(instance.id);
        nodes.order("long", instance, "while [ ! -e " + folder + "/go ]; do sleep 0.1; done\n");
        site.untilPhase("long", Phase.RUNNING);
        Path own = instance.disk.resolve("spillway/node.pem");
        String first = Files.readString(own);
        site.until("another key and certificate", report -> {
            assertThat(instance.poweredOff()).isFalse();
            return !read(own).equals(first);
        });
        assertThat(read(own)).contains("PRIVATE KEY").contains("BEGIN CERTIFICATE");
        assertThat(read(own).lines().skip(1).findFirst())
                .as("a new key")
                .isNotEqualTo(first.lines().skip(1).findFirst());
        site.until("the first one is over, and a lease on top", report -> {
            assertThat(instance.poweredOff()).isFalse();
            return Instant.now().isAfter(end.plusSeconds(site.leaseSeconds + 1));
        });
        assertThat(site.sync().nodes().getFirst().renewal()).isNull();
        Files.writeString(folder.resolve("go"), "");
        assertThat(site.untilPhase("long", Phase.ENDED).exitCode()).isZero();
        assertThat(instance.console()).contains("the certificate is renewed");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
