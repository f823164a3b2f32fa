package org.spillway.head.loop.sites;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.spillway.cloud.LaunchRequest;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Directive.JoinAnswer;
import org.spillway.director.wire.Report;
import org.spillway.director.wire.Report.NodeReport;
import org.spillway.director.wire.Report.Renewal;
import org.spillway.head.loop.port.Credentials;
import org.spillway.head.loop.state.RenewedCertificates;

/** I7: the head answers what nodes ask for in place of certificates that end. */
final class RenewingTest {
    private final RenewedCertificates answers = new RenewedCertificates();
    private final Signer signer = new Signer();

    @Test
    void aLiveNodeGetsOneCertificateForOneRequest() {
        hear(asks("n1", "r1"));
        hear(asks("n1", "r1"));
        assertThat(signer.signed).isEqualTo(1);
        assertThat(answers.of("n1")).isEqualTo(new JoinAnswer("r1", "n1", true, "certificate of n1", ""));
        hear(asks("n1", "r2"));
        assertThat(answers.of("n1")).extracting(JoinAnswer::request).isEqualTo("r2");
        hear(asks("n1", ""));
        assertThat(answers.all()).isEmpty();
    }

    @Test
    void aNodeThatIsNotOfTheSiteGetsNoneAndABadRequestIsRefusedWithItsCause() {
        hear(asks("foreign", "r1"), asks("bad", "r2"));
        assertThat(answers.all()).containsExactly(new JoinAnswer("r2", "bad", false, "", "its key is weak"));
    }

    @Test
    void aDirectorThatAsksForAThousandDoesNotHoldTheLoop() {
        NodeReport[] all =
                IntStream.range(0, 1000).mapToObj(n -> asks("n" + n, "r" + n)).toArray(NodeReport[]::new);
        hear(all);
        assertThat(signer.signed).isEqualTo(Renewing.MOST_AT_ONCE);
        hear(all);
        assertThat(answers.all()).hasSize(2 * Renewing.MOST_AT_ONCE);
    }

    private void hear(NodeReport... nodes) {
        Report report = new Report(
                Directive.SCHEMA,
                "x",
                "boot",
                "store",
                1,
                List.of(),
                List.of(nodes),
                List.of(),
                List.of(),
                Report.DirectoryReport.NONE,
                0);
        Renewing.heard(report, answers, node -> !node.equals("foreign"), signer);
    }

    private static NodeReport asks(String node, String request) {
        return new NodeReport(
                node, 0, true, "", List.of(), request.isEmpty() ? null : new Renewal(request, "csr of " + node), null);
    }

    private static final class Signer implements Credentials {
        private int signed;

        @Override
        public String signNode(String csr, String node) throws IOException {
            signed++;
            if (node.equals("bad")) {
                throw new IOException("its key is weak");
            }
            return "certificate of " + node;
        }

        @Override
        public String nodeUserData(String site, String intent, String directorAddress) {
            throw new IllegalStateException();
        }

        @Override
        public boolean leadsTo(String nodeUserData, String directorAddress) {
            return true;
        }

        @Override
        public String directorUserData(String site, String node) {
            throw new IllegalStateException();
        }

        @Override
        public void givenDirector(String node, String hostKey) {
            throw new IllegalStateException();
        }

        @Override
        public boolean hasDirectorKey(String node) {
            throw new IllegalStateException();
        }

        @Override
        public LaunchRequest render(LaunchRequest request) {
            throw new IllegalStateException();
        }

        @Override
        public String tokenSha256(String intent) {
            throw new IllegalStateException();
        }
    }
}
