package org.spillway.cloud.localcloud.arm;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.spillway.cloud.localcloud.StateDirectory;

/** A certificate for the loopback interface, made at the first start; who trusts it takes {@code ca.pem}. */
final class ArmTls {
    private static final int KEYTOOL_SECONDS = 60;

    private ArmTls() {}

    static SSLContext context(Path folder) throws IOException {
        Path store = folder.resolve("server.p12");
        Path password = folder.resolve("server.password");
        if (!Files.exists(store)) {
            byte[] random = new byte[16];
            new SecureRandom().nextBytes(random);
            StateDirectory.write(password, HexFormat.of().formatHex(random));
            make(store, password);
        }
        try {
            char[] secret = Files.readString(password).strip().toCharArray();
            KeyStore keys = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(store)) {
                keys.load(in, secret);
            }
            String pem = Base64.getMimeEncoder(64, new byte[] {'\n'})
                    .encodeToString(keys.getCertificate("server").getEncoded());
            StateDirectory.write(
                    folder.resolve("ca.pem"), "-----BEGIN CERTIFICATE-----\n" + pem + "\n-----END CERTIFICATE-----\n");
            KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(keys, secret);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(managers.getKeyManagers(), null, null);
            return context;
        } catch (GeneralSecurityException unusable) {
            throw new IOException(store + " cannot be used; remove it and start again", unusable);
        }
    }

    /** By the keytool that every JDK and every image made of one has; the password stands in a file, not in arguments. */
    private static void make(Path store, Path password) throws IOException {
        Path fresh = store.resolveSibling("server.p12.new");
        Files.deleteIfExists(fresh);
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home", ""), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "server",
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-validity",
                        "3650",
                        "-dname",
                        "CN=spillway local-cloud",
                        "-ext",
                        "san=ip:127.0.0.1,dns:localhost",
                        "-ext",
                        "bc:critical=ca:true",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        fresh.toString(),
                        "-storepass:file",
                        password.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            if (!keytool.waitFor(KEYTOOL_SECONDS, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
                keytool.destroyForcibly();
                throw new IOException("keytool made no certificate");
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while a certificate was made", stop);
        }
        Files.move(fresh, store, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
