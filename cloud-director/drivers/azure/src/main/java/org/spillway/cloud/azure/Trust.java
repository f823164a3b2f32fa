package org.spillway.cloud.azure;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/** Whom TLS believes: the machine's own authorities, and those of one PEM file. */
final class Trust {
    private Trust() {}

    static SSLContext context(@Nullable Path pem) throws IOException {
        try {
            if (pem == null) {
                return SSLContext.getDefault();
            }
            KeyStore anchors = KeyStore.getInstance(KeyStore.getDefaultType());
            anchors.load(null, null);
            int count = 0;
            for (TrustManager usual : managers(null)) {
                if (usual instanceof X509TrustManager known) {
                    for (X509Certificate each : known.getAcceptedIssuers()) {
                        anchors.setCertificateEntry("own" + count++, each);
                    }
                }
            }
            try (InputStream in = Files.newInputStream(pem)) {
                for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                    anchors.setCertificateEntry("given" + count++, each);
                }
            }
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, managers(anchors), null);
            return context;
        } catch (GeneralSecurityException bad) {
            throw new IOException(pem + " is no PEM of certificates: " + bad.getMessage(), bad);
        }
    }

    private static TrustManager[] managers(@Nullable KeyStore anchors) throws GeneralSecurityException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(anchors);
        return factory.getTrustManagers();
    }
}
