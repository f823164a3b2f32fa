package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.Directive.JoinAnswer;

/** I7: a certificate of 90 days was never renewed. Time is an argument. */
final class CertificateLifeTest {
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
    private static final CertificateLife LIFE = new CertificateLife(BEGIN, BEGIN.plus(Duration.ofDays(90)));
    private static final String CSR = "-----BEGIN CERTIFICATE REQUEST-----x";
    private static final byte[] FORM =
            ("csr=" + URLEncoder.encode(CSR, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8);

    @Test
    void aCertificateIsDueAtTwoThirdsOfItsLifeAndStaysDue() {
        assertThat(LIFE.isDue(BEGIN)).isFalse();
        assertThat(LIFE.isDue(BEGIN.plus(Duration.ofDays(60)).minusMillis(1))).isFalse();
        assertThat(LIFE.isDue(BEGIN.plus(Duration.ofDays(60)))).isTrue();
        assertThat(LIFE.isDue(BEGIN.plus(Duration.ofDays(91)))).isTrue();
        // The clock went back: nothing is due, and nothing breaks.
        assertThat(LIFE.isDue(BEGIN.minusSeconds(1))).isFalse();
    }

    @Test
    void aNodeIsToldOnceAsksAsOftenAsItWillAndIsLeftAloneOnceItShowsAYoungOne() {
        var renewals = new Renewals();
        Instant late = BEGIN.plus(Duration.ofDays(70));
        assertThat(status(renewals.ask("n1", FORM, node -> true, Map.of()))).isEqualTo(409);
        assertThat(renewals.heard("n1", LIFE, late)).isTrue();
        assertThat(renewals.heard("n1", LIFE, late)).isFalse();
        assertThat(renewals.line("n1")).contains("certificate due");
        assertThat(renewals.line("n2")).isEmpty();
        assertThat(status(renewals.ask("n1", FORM, node -> true, Map.of()))).isEqualTo(202);
        var wanted = java.util.Objects.requireNonNull(renewals.of("n1"));
        assertThat(wanted.csr()).isEqualTo(CSR);
        assertThat(wanted.request()).isEqualTo(Digests.hex(CSR));

        var another = new JoinAnswer(wanted.request(), "n2", true, "of another node", "");
        assertThat(status(renewals.ask("n1", FORM, node -> true, Map.of(wanted.request(), another))))
                .isEqualTo(202);
        var refused = new JoinAnswer(wanted.request(), "n1", false, "", "its key is weak");
        assertThat(status(renewals.ask("n1", FORM, node -> true, Map.of(wanted.request(), refused))))
                .isEqualTo(403);
        var granted = new JoinAnswer(wanted.request(), "n1", true, "PEM", "");
        assertThat(status(renewals.ask("n1", FORM, node -> true, Map.of(wanted.request(), granted))))
                .isEqualTo(200);
        assertThat(status(renewals.ask("n1", "csr=junk".getBytes(StandardCharsets.UTF_8), node -> true, Map.of())))
                .isEqualTo(400);

        assertThat(renewals.heard("n1", new CertificateLife(late, late.plus(Duration.ofDays(90))), late))
                .isFalse();
        assertThat(renewals.of("n1")).isNull();
        assertThat(renewals.line("n1")).isEmpty();
    }

    @Test
    void anEndedNodeIsForgotten() {
        var renewals = new Renewals();
        renewals.heard("n1", LIFE, BEGIN.plus(Duration.ofDays(70)));
        renewals.ask("n1", FORM, node -> true, Map.of());
        renewals.keep(node -> false);
        assertThat(renewals.of("n1")).isNull();
        assertThat(renewals.isDue("n1")).isFalse();
    }

    private static int status(Answer answer) {
        return ((Answer.Text) answer).status();
    }
}
