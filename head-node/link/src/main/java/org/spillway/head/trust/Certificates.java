package org.spillway.head.trust;

import com.unboundid.asn1.ASN1BitString;
import com.unboundid.asn1.ASN1Boolean;
import com.unboundid.asn1.ASN1Element;
import com.unboundid.asn1.ASN1Exception;
import com.unboundid.asn1.ASN1ObjectIdentifier;
import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.asn1.ASN1Sequence;
import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.RDN;
import com.unboundid.util.OID;
import com.unboundid.util.ssl.cert.CertException;
import com.unboundid.util.ssl.cert.SignatureAlgorithmIdentifier;
import com.unboundid.util.ssl.cert.X509Certificate;
import com.unboundid.util.ssl.cert.X509CertificateExtension;
import java.io.IOException;
import java.net.InetAddress;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Makes X.509 certificates over ECDSA P-256. */
final class Certificates {
    /** The clock of a machine may be behind, by a time zone that was taken for UTC, too; the head's own may be ahead. */
    private static final Duration CLOCK_TOLERANCE = Duration.ofDays(2);

    private static final OID BASIC_CONSTRAINTS = new OID("2.5.29.19");
    private static final OID KEY_USAGE = new OID("2.5.29.15");
    private static final OID EXTENDED_KEY_USAGE = new OID("2.5.29.37");
    private static final OID SUBJECT_ALTERNATIVE_NAME = new OID("2.5.29.17");
    private static final byte TAG_IP_ADDRESS = (byte) 0x87;
    private static final int BITS_OF_KEY_USAGE = 9;
    private static final int DIGITAL_SIGNATURE = 0;
    private static final int CERTIFICATE_SIGN = 5;

    private Certificates() {}

    /** Purposes of a certificate. */
    enum Purpose {
        SERVER("1.3.6.1.5.5.7.3.1"),
        CLIENT("1.3.6.1.5.5.7.3.2");

        private final OID oid;

        Purpose(String oid) {
            this.oid = new OID(oid);
        }
    }

    static KeyPair newKeys() {
        try {
            var generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("this Java has no P-256", impossible);
        }
    }

    static String authority(KeyPair keys, String name, Instant now, Duration validity) throws IOException {
        try {
            var constraints = new ASN1Sequence(new ASN1Boolean(true));
            var certificate = X509Certificate.generateSelfSignedCertificate(
                    SignatureAlgorithmIdentifier.SHA_256_WITH_ECDSA,
                    keys,
                    new DN(new RDN("CN", name)),
                    now.minus(CLOCK_TOLERANCE).toEpochMilli(),
                    now.plus(validity).toEpochMilli(),
                    new X509CertificateExtension(BASIC_CONSTRAINTS, true, constraints.encode()),
                    keyUsage(CERTIFICATE_SIGN));
            return certificate.toPEMString();
        } catch (CertException e) {
            throw new IOException("the certificate authority could not be made", e);
        }
    }

    /** A certificate (PEM), signed by the authority. */
    static String issue(
            String authorityPem,
            PrivateKey authorityKey,
            PublicKey subjectKey,
            DN subject,
            Purpose purpose,
            List<InetAddress> addresses,
            Instant now,
            Duration validity)
            throws IOException {
        try {
            // A SubjectPublicKeyInfo is (algorithm (oid, parameters), key).
            var keyInfo = ASN1Sequence.decodeAsSequence(subjectKey.getEncoded()).elements();
            var algorithm = keyInfo[0].decodeAsSequence().elements();
            var certificate = X509Certificate.generateIssuerSignedCertificate(
                    SignatureAlgorithmIdentifier.SHA_256_WITH_ECDSA,
                    new X509Certificate(Pem.der("CERTIFICATE", authorityPem)),
                    authorityKey,
                    algorithm[0].decodeAsObjectIdentifier().getOID(),
                    algorithm.length > 1 ? algorithm[1] : null,
                    ASN1BitString.decodeAsBitString(keyInfo[1]),
                    null,
                    subject,
                    now.minus(CLOCK_TOLERANCE).toEpochMilli(),
                    now.plus(validity).toEpochMilli(),
                    extensions(purpose, addresses));
            return certificate.toPEMString();
        } catch (CertException | ASN1Exception e) {
            throw new IOException("the certificate for " + subject + " could not be made", e);
        }
    }

    private static X509CertificateExtension[] extensions(Purpose purpose, List<InetAddress> addresses)
            throws ASN1Exception {
        var extensions = new ArrayList<X509CertificateExtension>();
        extensions.add(new X509CertificateExtension(BASIC_CONSTRAINTS, true, new ASN1Sequence().encode()));
        extensions.add(keyUsage(DIGITAL_SIGNATURE));
        extensions.add(new X509CertificateExtension(
                EXTENDED_KEY_USAGE, true, new ASN1Sequence(new ASN1ObjectIdentifier(purpose.oid)).encode()));
        if (!addresses.isEmpty()) {
            var names = addresses.stream()
                    .map(address -> (ASN1Element) new ASN1OctetString(TAG_IP_ADDRESS, address.getAddress()))
                    .toList();
            extensions.add(
                    new X509CertificateExtension(SUBJECT_ALTERNATIVE_NAME, false, new ASN1Sequence(names).encode()));
        }
        return extensions.toArray(X509CertificateExtension[]::new);
    }

    private static X509CertificateExtension keyUsage(int bit) {
        var bits = new boolean[BITS_OF_KEY_USAGE];
        bits[bit] = true;
        // DER wants the trailing zero bits of a named bit list left out.
        return new X509CertificateExtension(KEY_USAGE, true, new ASN1BitString(Arrays.copyOf(bits, bit + 1)).encode());
    }
}
