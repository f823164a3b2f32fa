package org.spillway.head.trust;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.security.auth.x500.X500Principal;

/** The head's side of TLS to one director: no other peer of the same authority will do. */
final class DirectorTls {
    private DirectorTls() {}

    static SSLContext context(String authorityPem, Credential head, X500Principal director) throws IOException {
        X509Certificate authority = Pem.certificate(authorityPem);
        try {
            var own = KeyStore.getInstance("PKCS12");
            own.load(null, null);
            own.setKeyEntry("head", Pem.privateKey(head.keyPem()), new char[0], new Certificate[] {
                Pem.certificate(head.certificatePem()), authority
            });
            var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(own, new char[0]);

            var trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry("authority", authority);
            var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);

            var context = SSLContext.getInstance("TLSv1.3");
            context.init(
                    keys.getKeyManagers(),
                    new TrustManager[] {new OnlyThis((X509ExtendedTrustManager) trust.getTrustManagers()[0], director)},
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
