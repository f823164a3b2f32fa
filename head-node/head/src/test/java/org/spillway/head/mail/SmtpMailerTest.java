package org.spillway.head.mail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.head.config.HeadConfig.Mail;
import org.spillway.head.config.HeadConfig.Mail.Tls;
import org.spillway.head.trust.SiteAuthority;

final class SmtpMailerTest {
    private static final InstantSource NOW = InstantSource.fixed(Instant.parse("2026-11-22T09:00:00Z"));
    private static final Letter LETTER = new Letter(
            "main-c3.time-600.1790000000",
            "alice@example.org",
            "[spillway] cluster übung ends in 10 min",
            "Cluster übung ends.\n.\nThat dot is not its end.\n");

    @TempDir
    Path folder;

    private static Mail settings(SmtpListener server, Tls tls, Optional<Path> caFile) {
        return new Mail(
                "127.0.0.1", server.port(), tls, "spillway@example.org", "", Optional.empty(), caFile, "example.org");
    }

    private static void send(Mail settings) throws IOException {
        new SmtpMailer(settings, NOW).send(LETTER);
    }

    @Test
    void aLetterArrivesWholeWithAnIdThatIsTheSameEachTime() throws IOException {
        try (var server = new SmtpListener(null)) {
            send(settings(server, Tls.NONE, Optional.empty()));
            send(settings(server, Tls.NONE, Optional.empty()));
            assertThat(server.letters).hasSize(2);
            assertThat(server.letters.getFirst())
                    .contains("Message-ID: <main-c3.time-600.1790000000@example.org>\n")
                    .contains("From: spillway@example.org\n")
                    .contains("To: alice@example.org\n")
                    .contains("Auto-Submitted: auto-generated\n")
                    .contains("Date: Sun, 22 Nov 2026")
                    .contains("Subject: =?UTF-8?")
                    .containsPattern("\\n\\.\\.\\n");
            assertThat(server.said).contains("MAIL FROM:<spillway@example.org>", "RCPT TO:<alice@example.org>");
        }
    }

    @Test
    void withStarttlsNothingIsSaidBeforeTheCertificateIsKnownToBeRight() throws IOException {
        var authority = SiteAuthority.open(folder.resolve("ours"), InstantSource.system());
        Path right = Files.writeString(folder.resolve("right.pem"), authority.certificatePem());
        Path wrong = Files.writeString(
                folder.resolve("wrong.pem"),
                SiteAuthority.open(folder.resolve("others"), InstantSource.system())
                        .certificatePem());
        try (var server = new SmtpListener(authority.brokerTls())) {
            assertThatThrownBy(() -> send(settings(server, Tls.STARTTLS, Optional.of(wrong))))
                    .isInstanceOf(IOException.class)
                    .isNotInstanceOf(MailRefused.class);
            assertThatThrownBy(() -> send(settings(server, Tls.STARTTLS, Optional.empty())))
                    .isInstanceOf(IOException.class);
            assertThat(server.said).noneMatch(line -> line.startsWith("MAIL"));
            send(settings(server, Tls.STARTTLS, Optional.of(right)));
            assertThat(server.letters).hasSize(1);
            assertThat(server.said.indexOf("TLS")).isLessThan(server.said.indexOf("MAIL FROM:<spillway@example.org>"));
        }
    }

    @Test
    void aServerWithoutTlsGetsNothingThatWasToBeProtected() throws IOException {
        try (var server = new SmtpListener(null)) {
            for (Tls tls : new Tls[] {Tls.STARTTLS, Tls.REQUIRED}) {
                assertThatThrownBy(() -> send(settings(server, tls, Optional.empty())))
                        .as(tls.name())
                        .isInstanceOf(IOException.class);
            }
            assertThat(server.said).noneMatch(line -> line.startsWith("MAIL"));
            assertThat(server.letters).isEmpty();
        }
    }

    @Test
    void whatIsRefusedForGoodIsToldApartFromWhatMayGoLater() throws IOException {
        try (var server = new SmtpListener(null)) {
            var settings = settings(server, Tls.NONE, Optional.empty());
            server.refusal = "550 no such user\u0007 here";
            assertThatThrownBy(() -> send(settings))
                    .isInstanceOf(MailRefused.class)
                    .hasMessageContaining("550 no such user");
            server.refusal = "451 later";
            assertThatThrownBy(() -> send(settings))
                    .isInstanceOf(IOException.class)
                    .isNotInstanceOf(MailRefused.class)
                    .hasMessageContaining("451 later");
            server.refusal = "";
            send(settings);
            assertThat(server.letters).hasSize(1);
        }
    }

    @Test
    void aServerThatIsAwayIsAFailureWithItsName() throws IOException {
        Mail settings;
        try (var server = new SmtpListener(null)) {
            settings = settings(server, Tls.NONE, Optional.empty());
        }
        assertThatThrownBy(() -> send(settings))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("127.0.0.1:" + settings.port());
    }

    @Test
    void noHeadOfALetterHoldsASecondLine() {
        for (String to : new String[] {
            "a@b\r\nBcc: x@y", "a b@c", "<a@b>", "a@b,c@d", "a", "@b", "a@", "\"a\"@b", "-a@b", "a@-b", ""
        }) {
            assertThatIllegalArgumentException().as(to).isThrownBy(() -> new Letter("id", to, "subject", "text"));
        }
        for (String subject : new String[] {"a\nBcc: x@y", "a\rb", "a\u2028b", "", " ", "x".repeat(201)}) {
            assertThatIllegalArgumentException().as(subject).isThrownBy(() -> new Letter("id", "a@b", subject, "text"));
        }
        assertThatIllegalArgumentException().isThrownBy(() -> new Letter("id\n", "a@b", "subject", "text"));
    }

    @Test
    void mailGoesWhereTheDirectorySaysElseToTheDomain() {
        var both = new Addresses(
                user -> switch (user) {
                    case "alice" -> "a.smith@example.com";
                    case "mallory" -> "m@x\r\nBcc: all@x";
                    default -> "";
                },
                "example.org");
        assertThat(both.of("alice")).contains("a.smith@example.com");
        assertThat(both.of("bob")).contains("bob@example.org");
        assertThat(both.of("mallory")).contains("mallory@example.org");
        assertThat(both.of("a b")).isEmpty();
        assertThat(new Addresses(user -> "", "").of("bob")).isEmpty();
    }
}
