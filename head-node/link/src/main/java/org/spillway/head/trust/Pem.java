package org.spillway.head.trust;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;

/** Text forms of keys and certificates. No message here holds what was read: it may be a private key. */
final class Pem {
    private Pem() {}

    static String of(String label, byte[] der) {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----\n";
    }

    /** @throws IOException if the text holds no such section */
    static byte[] der(String label, String text) throws IOException {
        String begin = "-----BEGIN " + label + "-----";
        int from = text.indexOf(begin);
        int to = text.indexOf("-----END " + label + "-----");
        if (from < 0 || to < from) {
            throw new IOException("this is no PEM " + label);
        }
        try {
            return Base64.getMimeDecoder().decode(text.substring(from + begin.length(), to));
        } catch (IllegalArgumentException e) {
            throw new IOException("this PEM " + label + " is damaged");
        }
    }

    static PrivateKey privateKey(String pem) throws IOException {
        try {
            return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(der("PRIVATE KEY", pem)));
        } catch (GeneralSecurityException e) {
            throw new IOException("a private key among the secrets is damaged");
        }
    }

    /** The first certificate of a text. */
    static X509Certificate certificate(String pem) throws IOException {
        try {
            return (X509Certificate) CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)));
        } catch (GeneralSecurityException e) {
            throw new IOException("a certificate among the secrets is damaged", e);
        }
    }
}
