package org.spillway.cloud.delegated;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;
import javax.security.auth.x500.X500Principal;

/**
 * TLS to the parent's broker and nobody else. It is known by its authority and its subject, not by its address: the way
 * to it is a forward that ends at whatever address the child has.
 */
final class ParentTls {
    static final X500Principal BROKER = new X500Principal("CN=spillway-broker");
    private static final String BEGIN = "-----BEGIN PRIVATE KEY-----";
    private static final String END = "-----END PRIVATE KEY-----";

    private ParentTls() {}

    /** @throws IOException if a file cannot be used; the message names the file and nothing of its content */
    static SSLContext context(DelegatedSettings settings) throws IOException {
        try {
            OneKey own = new OneKey(
                    privateKey(settings.keyFile()),
                    certificates(settings.certificateFile()).toArray(new X509Certificate[0]));
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            int number = 0;
            for (Certificate each : certificates(settings.caFile())) {
                trusted.setCertificateEntry("parent-" + number++, each);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLSv1.3");
            context.init(
                    new KeyManager[] {own},
                    new TrustManager[] {new OnlyTheBroker((X509TrustManager) trust.getTrustManagers()[0])},
                    null);
            return context;
        } catch (GeneralSecurityException bad) {
            throw new IOException("certificateFile, keyFile and caFile do not go together: " + bad.getMessage());
        }
    }

    private static PrivateKey privateKey(Path file) throws IOException, GeneralSecurityException {
        String pem = text(file);
        int from = pem.indexOf(BEGIN);
        int to = pem.indexOf(END);
        if (from < 0 || to < from) {
            throw new IOException(file + ": no PKCS#8 private key in it");
        }
        try {
            byte[] der = Base64.getMimeDecoder().decode(pem.substring(from + BEGIN.length(), to));
            return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(der));
        } catch (IllegalArgumentException damaged) {
            throw new IOException(file + ": its private key is damaged");
        }
    }

    private static Collection<? extends Certificate> certificates(Path file) throws IOException {
        try {
            Collection<? extends Certificate> found = CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(text(file).getBytes(StandardCharsets.US_ASCII)));
            if (!found.isEmpty()) {
                return found;
            }
        } catch (GeneralSecurityException damaged) {
            throw new IOException(file + ": its certificate is damaged");
        }
        throw new IOException(file + ": no certificate in it");
    }

    private static String text(Path file) throws IOException {
        try {
            return Files.readString(file, StandardCharsets.US_ASCII);
        } catch (IOException unreadable) {
            throw new IOException(
                    file + " cannot be read: " + unreadable.getClass().getSimpleName());
        }
    }

    /** The authority's chain check without an address, and then the subject. */
    private static final class OnlyTheBroker extends X509ExtendedTrustManager {
        private final X509TrustManager chain;

        OnlyTheBroker(X509TrustManager chain) {
            this.chain = chain;
        }

        @Override
        public void checkServerTrusted(X509Certificate[] certificates, String type, SSLEngine engine)
                throws CertificateException {
            checkServerTrusted(certificates, type);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] certificates, String type, Socket socket)
                throws CertificateException {
            checkServerTrusted(certificates, type);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] certificates, String type) throws CertificateException {
            chain.checkServerTrusted(certificates, type);
            X500Principal found = certificates[0].getSubjectX500Principal();
            if (!found.equals(BROKER)) {
                throw new CertificateException("expected " + BROKER + ", found " + found);
            }
        }

        @Override
        public void checkClientTrusted(X509Certificate[] certificates, String type, SSLEngine engine)
                throws CertificateException {
            throw notAServer();
        }

        @Override
        public void checkClientTrusted(X509Certificate[] certificates, String type, Socket socket)
                throws CertificateException {
            throw notAServer();
        }

        @Override
        public void checkClientTrusted(X509Certificate[] certificates, String type) throws CertificateException {
            throw notAServer();
        }

        private static CertificateException notAServer() {
            return new CertificateException("the child is never the server here");
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return chain.getAcceptedIssuers();
        }
    }
}
