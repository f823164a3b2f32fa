package org.spillway.localcloud.arm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.spillway.localcloud.StateDirectory;

/** Key and certificate for the loopback interface, made at the first start; who trusts it takes {@code ca.pem}. */
public final class ArmTls {
    private static final int LINE = 64;

    private ArmTls() {}

    /** @param folder in which both lie, and are made where they are missing */
    public static SSLContext context(Path folder, Instant now) throws IOException {
        Path key = folder.resolve("server.key");
        Path pem = folder.resolve("ca.pem");
        try {
            if (!Files.exists(key) || !Files.exists(pem)) {
                make(key, pem, now);
            }
            PrivateKey secret = KeyFactory.getInstance("EC")
                    .generatePrivate(new PKCS8EncodedKeySpec(
                            Base64.getDecoder().decode(Files.readString(key).strip())));
            Certificate certificate;
            try (var in = Files.newInputStream(pem)) {
                certificate = CertificateFactory.getInstance("X.509").generateCertificate(in);
            }
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(null, null);
            keys.setKeyEntry("server", secret, new char[0], new Certificate[] {certificate});
            KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(keys, new char[0]);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(managers.getKeyManagers(), null, null);
            return context;
        } catch (GeneralSecurityException | IllegalArgumentException unusable) {
            throw new IOException(key + " cannot be used; remove it and start again", unusable);
        }
    }

    private static void make(Path key, Path pem, Instant now) throws GeneralSecurityException, IOException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        KeyPair pair = generator.generateKeyPair();
        StateDirectory.write(
                key, Base64.getEncoder().encodeToString(pair.getPrivate().getEncoded()) + "\n");
        String text = Base64.getMimeEncoder(LINE, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(ArmCertificate.of(pair, now).getEncoded());
        StateDirectory.write(pem, "-----BEGIN CERTIFICATE-----\n" + text + "\n-----END CERTIFICATE-----\n");
    }
}
