package org.spillway.head.trust;

/**
 * A private key and its certificate.
 *
 * @param keyPem PKCS#8; secret
 * @param certificatePem the certificate, with the authority's behind it
 */
public record Credential(String keyPem, String certificatePem) {
    /** Without the key: this text may reach a log. */
    @Override
    public String toString() {
        return "Credential[key withheld]";
    }
}
