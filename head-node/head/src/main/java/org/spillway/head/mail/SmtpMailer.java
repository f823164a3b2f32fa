package org.spillway.head.mail;

import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.SendFailedException;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Date;
import java.util.Optional;
import java.util.Properties;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.spillway.head.config.HeadConfig;

/**
 * A mailer with a connection for each letter. The certificate and the name in it are checked; a password goes over TLS
 * only.
 */
public final class SmtpMailer implements Mailer {
    private static final Duration CONNECTING = Duration.ofSeconds(10);
    private static final Duration SILENCE = Duration.ofSeconds(30);
    private static final int REFUSED_FOR_GOOD = 500;

    private final HeadConfig.Mail settings;
    private final InstantSource clock;

    public SmtpMailer(HeadConfig.Mail settings, InstantSource clock) {
        this.settings = settings;
        this.clock = clock;
    }

    @Override
    public void send(Letter letter) throws IOException {
        try {
            Session session = Session.getInstance(properties());
            MimeMessage message = message(session, letter);
            try (Transport transport = session.getTransport("smtp")) {
                connect(transport);
                transport.sendMessage(message, message.getAllRecipients());
            }
        } catch (SendFailedException refused) {
            String why = "the mail server refused: " + line(refused);
            throw isForGood(refused) ? new MailRefused(why) : new IOException(why, refused);
        } catch (MessagingException failure) {
            throw new IOException("mail server " + settings.host() + ":" + settings.port() + ": " + line(failure));
        }
    }

    private void connect(Transport transport) throws MessagingException, IOException {
        Optional<Path> file = settings.passwordFile();
        if (file.isPresent()) {
            transport.connect(settings.host(), settings.port(), settings.user(), password(file.get()));
        } else {
            transport.connect(settings.host(), settings.port(), null, null);
        }
    }

    /** Read at each letter, so that a new one needs no restart. */
    private static String password(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.UTF_8)
                .lines()
                .findFirst()
                .orElseThrow(() -> new IOException("the file with the mail password is empty: " + file));
    }

    private MimeMessage message(Session session, Letter letter) throws MessagingException {
        String id = "<" + letter.id() + "@"
                + settings.from().substring(settings.from().indexOf('@') + 1) + ">";
        MimeMessage message = new MimeMessage(session) {
            @Override
            protected void updateMessageID() throws MessagingException {
                setHeader("Message-ID", id);
            }
        };
        message.setFrom(new InternetAddress(settings.from(), true));
        message.setRecipient(Message.RecipientType.TO, new InternetAddress(letter.to(), true));
        message.setSubject(letter.subject(), "UTF-8");
        message.setSentDate(Date.from(clock.instant()));
        // No answering machine answers it.
        message.setHeader("Auto-Submitted", "auto-generated");
        message.setText(letter.text(), "UTF-8");
        return message;
    }

    private Properties properties() throws IOException {
        var all = new Properties();
        all.setProperty("mail.smtp.connectiontimeout", Long.toString(CONNECTING.toMillis()));
        all.setProperty("mail.smtp.timeout", Long.toString(SILENCE.toMillis()));
        all.setProperty("mail.smtp.writetimeout", Long.toString(SILENCE.toMillis()));
        all.setProperty("mail.smtp.from", settings.from());
        all.setProperty(
                "mail.smtp.auth", Boolean.toString(settings.passwordFile().isPresent()));
        all.setProperty("mail.smtp.ssl.checkserveridentity", "true");
        all.setProperty("mail.smtp.ssl.protocols", "TLSv1.3 TLSv1.2");
        switch (settings.tls()) {
            case REQUIRED -> all.setProperty("mail.smtp.ssl.enable", "true");
            case STARTTLS -> {
                all.setProperty("mail.smtp.starttls.enable", "true");
                all.setProperty("mail.smtp.starttls.required", "true");
            }
            case NONE -> {}
        }
        if (settings.caFile().isPresent()) {
            all.put(
                    "mail.smtp.ssl.socketFactory",
                    trusting(settings.caFile().get()).getSocketFactory());
        }
        return all;
    }

    /** Only what leads to one of the certificates in this file. */
    private static SSLContext trusting(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            int number = 0;
            for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry("ca" + number++, one);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException unusable) {
            throw new IOException("mail.caFile cannot be used: " + unusable.getMessage(), unusable);
        }
    }

    private static boolean isForGood(SendFailedException refused) {
        for (Exception cause = refused; cause instanceof MessagingException step; cause = step.getNextException()) {
            int code = code(String.valueOf(step.getMessage()));
            if (code >= REFUSED_FOR_GOOD) {
                return true;
            }
        }
        return false;
    }

    /** The server's code; the types that know it are the provider's own. */
    private static int code(String message) {
        return message.matches("(?s)[245]\\d\\d[ -].*") ? Integer.parseInt(message.substring(0, 3)) : 0;
    }

    /** The deepest cause says most. A server's words are a stranger's: one short line of them. */
    private static String line(MessagingException failure) {
        Throwable deepest = failure;
        while (deepest instanceof MessagingException step && step.getNextException() != null) {
            deepest = step.getNextException();
        }
        String said = Letter.plain(String.valueOf(deepest.getMessage()).strip());
        return said.length() > 200 ? said.substring(0, 200) : said;
    }
}
