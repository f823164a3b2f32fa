package org.spillway.head.ondemand.broker;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.cert.CertificateFactory;
import java.util.HexFormat;
import java.util.Map;
import org.spillway.head.trust.Credential;

/** A child head's files on its disk. */
record ChildFiles(Path folder, Credential credential, String token, String caPem) {
    Map<String, String> options(String endpoint, String timeoutSeconds) throws Exception {
        Files.createDirectories(folder);
        secret("token", token);
        secret("key.pem", credential.keyPem());
        secret("certificate.pem", credential.certificatePem());
        secret("ca.pem", caPem);
        return Map.of(
                "endpoint", endpoint,
                "tokenFile", folder.resolve("token").toString(),
                "keyFile", folder.resolve("key.pem").toString(),
                "certificateFile", folder.resolve("certificate.pem").toString(),
                "caFile", folder.resolve("ca.pem").toString(),
                "timeoutSeconds", timeoutSeconds);
    }

    private void secret(String name, String text) throws Exception {
        Path file = folder.resolve(name);
        Files.deleteIfExists(file);
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, text + "\n");
    }

    String tokenSha256() throws Exception {
        return sha256(token.getBytes(StandardCharsets.UTF_8));
    }

    String certificateSha256() throws Exception {
        byte[] pem = credential.certificatePem().getBytes(StandardCharsets.US_ASCII);
        return sha256(CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(pem))
                .getEncoded());
    }

    private static String sha256(byte[] bytes) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }
}
