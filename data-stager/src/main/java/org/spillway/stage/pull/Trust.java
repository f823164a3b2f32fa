package org.spillway.stage.pull;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/** Servers of others whose certificates are believed. */
public final class Trust {
    private Trust() {}

    /**
     * @param more certificates in PEM that are trusted besides those that every Java trusts; empty for none
     * @throws IllegalArgumentException if they are none
     */
    public static SSLContext context(String more) {
        try {
            KeyStore all = KeyStore.getInstance(KeyStore.getDefaultType());
            all.load(null, null);
            int count = 0;
            TrustManagerFactory usual = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            usual.init((KeyStore) null);
            for (TrustManager manager : usual.getTrustManagers()) {
                if (manager instanceof X509TrustManager known) {
                    for (X509Certificate one : known.getAcceptedIssuers()) {
                        all.setCertificateEntry("usual" + count++, one);
                    }
                }
            }
            if (!more.isBlank()) {
                var named = CertificateFactory.getInstance("X.509")
                        .generateCertificates(new ByteArrayInputStream(more.getBytes(StandardCharsets.US_ASCII)));
                for (Certificate one : named) {
                    all.setCertificateEntry("more" + count++, one);
                }
            }
            TrustManagerFactory both = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            both.init(all);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, both.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalArgumentException("no certificates in PEM: " + e.getMessage(), e);
        }
    }
}
