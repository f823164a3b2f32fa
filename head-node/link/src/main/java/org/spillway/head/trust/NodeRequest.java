package org.spillway.head.trust;

import com.unboundid.asn1.ASN1Element;
import com.unboundid.asn1.ASN1Exception;
import com.unboundid.asn1.ASN1ObjectIdentifier;
import com.unboundid.asn1.ASN1Sequence;
import com.unboundid.util.ssl.cert.CertException;
import com.unboundid.util.ssl.cert.PKCS10CertificateSigningRequest;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.X509EncodedKeySpec;

/** Reads a node's certificate signing request, which comes from a machine that nobody vouches for yet. */
final class NodeRequest {
    private static final int MAX_CHARACTERS = 16 * 1024;
    private static final int MIN_RSA_BITS = 2048;
    private static final int MAX_RSA_BITS = 8192;
    private static final int MIN_EC_BITS = 256;

    private NodeRequest() {}

    /** The key of a request that is signed by that very key. Its subject and its extensions are not looked at. */
    static PublicKey key(String csrPem) throws CsrRefused {
        if (csrPem.length() > MAX_CHARACTERS) {
            throw new CsrRefused("the certificate signing request is over " + MAX_CHARACTERS + " characters");
        }
        PublicKey key;
        try {
            var request = new PKCS10CertificateSigningRequest(der(csrPem));
            request.verifySignature();
            key = decode(request);
        } catch (IOException | CertException | ASN1Exception | GeneralSecurityException | RuntimeException e) {
            throw new CsrRefused("the certificate signing request cannot be read, or is not signed by its own key");
        }
        boolean strong = switch (key) {
            case ECPublicKey curve -> curve.getParams().getOrder().bitLength() >= MIN_EC_BITS;
            case RSAPublicKey rsa ->
                rsa.getModulus().bitLength() >= MIN_RSA_BITS && rsa.getModulus().bitLength() <= MAX_RSA_BITS;
            default -> false;
        };
        if (!strong) {
            throw new CsrRefused("the key must be ECDSA of at least " + MIN_EC_BITS + " bits, or RSA of " + MIN_RSA_BITS
                    + " to " + MAX_RSA_BITS);
        }
        return key;
    }

    private static byte[] der(String csrPem) throws IOException {
        try {
            return Pem.der("CERTIFICATE REQUEST", csrPem);
        } catch (IOException e) {
            // Older tools write this heading.
            return Pem.der("NEW CERTIFICATE REQUEST", csrPem);
        }
    }

    private static PublicKey decode(PKCS10CertificateSigningRequest request)
            throws GeneralSecurityException, ASN1Exception {
        ASN1Element oid = new ASN1ObjectIdentifier(request.getPublicKeyAlgorithmOID());
        ASN1Element parameters = request.getPublicKeyAlgorithmParameters();
        var algorithm = parameters == null ? new ASN1Sequence(oid) : new ASN1Sequence(oid, parameters);
        byte[] keyInfo = new ASN1Sequence(algorithm, request.getEncodedPublicKey()).encode();
        String name = "EC".equals(request.getPublicKeyAlgorithmName()) ? "EC" : "RSA";
        return KeyFactory.getInstance(name).generatePublic(new X509EncodedKeySpec(keyInfo));
    }
}
