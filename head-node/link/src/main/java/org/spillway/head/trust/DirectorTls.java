package org.spillway.head.trust;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.function.UnaryOperator;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.security.auth.x500.X500Principal;

/** The head's sides of TLS: to one director, where no other peer of the same authority will do, and to children. */
final class DirectorTls {
    private DirectorTls() {}

    static SSLContext context(String authorityPem, Credential head, X500Principal director) throws IOException {
        return context(authorityPem, head, chain -> new OnlyThis(chain, director));
    }

    /** For a server: whoever has a certificate of the authority may speak, what he may do is not said here. */
    static SSLContext forAnyOfOurs(String authorityPem, Credential server) throws IOException {
        return context(authorityPem, server, chain -> chain);
    }

    private static SSLContext context(
            String authorityPem, Credential own, UnaryOperator<X509ExtendedTrustManager> narrowed) throws IOException {
        X509Certificate authority = Pem.certificate(authorityPem);
        try {
            var store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("own", Pem.privateKey(own.keyPem()), new char[0], new Certificate[] {
                Pem.certificate(own.certificatePem()), authority
            });
            var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, new char[0]);

            var trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry("authority", authority);
            var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);

            var context = SSLContext.getInstance("TLSv1.3");
            context.init(
                    keys.getKeyManagers(),
                    new TrustManager[] {narrowed.apply((X509ExtendedTrustManager) trust.getTrustManagers()[0])},
                    null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("TLS could not be set up", e);
        }
    }

    /** The authority's chain check, and then the name. */
    private static final class OnlyThis extends X509ExtendedTrustManager {
        private final X509ExtendedTrustManager chain;
        private final X500Principal peer;

        OnlyThis(X509ExtendedTrustManager chain, X500Principal peer) {
            this.chain = chain;
            this.peer = peer;
        }

        @Override
        public void checkServerTrusted(X509Certificate[] certificates, String type, SSLEngine engine)
                throws CertificateException {
            chain.checkServerTrusted(certificates, type, engine);
            checkName(certificates);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] certificates, String type, Socket socket)
                throws CertificateException {
            chain.checkServerTrusted(certificates, type, socket);
            checkName(certificates);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] certificates, String type) throws CertificateException {
            chain.checkServerTrusted(certificates, type);
            checkName(certificates);
        }

        private void checkName(X509Certificate[] certificates) throws CertificateException {
            X500Principal found = certificates[0].getSubjectX500Principal();
            if (!found.equals(peer)) {
                throw new CertificateException("expected " + peer + ", found " + found);
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
            return new CertificateException("the head is never the server here");
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return chain.getAcceptedIssuers();
        }
    }
}
