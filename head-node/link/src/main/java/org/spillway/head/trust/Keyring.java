package org.spillway.head.trust;

import java.io.IOException;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;

/** Loads each long-lived key, or makes it. Both halves of a key stand in one file, so that a crash cannot part them. */
final class Keyring {
    private static final Duration AUTHORITY_VALIDITY = Duration.ofDays(20 * 365);
    private static final int SECRET_BYTES = 32;
    private static final String BEGIN_CERTIFICATE = "-----BEGIN CERTIFICATE-----";
    private static final String BEGIN_PUBLIC_KEY = "-----BEGIN PUBLIC KEY-----";

    private final SecretFiles files;

    Keyring(SecretFiles files) {
        this.files = files;
    }

    /** A text with which signatures are made, and the text with which they are checked. */
    record SigningKeys(String privatePem, String publicPem) {
        @Override
        public String toString() {
            return "SigningKeys[withheld]";
        }
    }

    Credential authority(Instant now) throws IOException {
        Optional<Credential> there = credential("authority");
        if (there.isPresent()) {
            Pem.certificate(there.get().certificatePem());
            return there.get();
        }
        KeyPair keys = Certificates.newKeys();
        String certificate = Certificates.authority(keys, "Spillway authority", now, AUTHORITY_VALIDITY);
        return keep("authority", keys, certificate);
    }

    byte[] masterSecret() throws IOException {
        Optional<String> there = files.read("master-secret");
        if (there.isEmpty()) {
            var secret = new byte[SECRET_BYTES];
            new SecureRandom().nextBytes(secret);
            files.write("master-secret", HexFormat.of().formatHex(secret) + "\n");
            return secret;
        }
        String text = there.get().strip();
        if (!text.matches("[0-9a-f]{" + 2 * SECRET_BYTES + "}")) {
            throw new IOException("the master secret is damaged");
        }
        return HexFormat.of().parseHex(text);
    }

    SigningKeys imageSigning() throws IOException {
        Optional<String> there = files.read("image-signing.pem");
        if (there.isEmpty()) {
            KeyPair keys = Certificates.newKeys();
            String text = Pem.of("PRIVATE KEY", keys.getPrivate().getEncoded())
                    + Pem.of("PUBLIC KEY", keys.getPublic().getEncoded());
            files.write("image-signing.pem", text);
            there = Optional.of(text);
        }
        int publicHalf = there.get().indexOf(BEGIN_PUBLIC_KEY);
        if (publicHalf < 0) {
            throw new IOException("the image signing key is damaged");
        }
        return new SigningKeys(there.get().substring(0, publicHalf), there.get().substring(publicHalf));
    }

    KeyPair sshClient() throws IOException {
        Optional<String> there = files.read("ssh-client");
        if (there.isEmpty()) {
            there = Optional.of(SshKeys.newPrivateKey("spillway-head"));
            files.write("ssh-client", there.get());
        }
        return SshKeys.parse(there.get());
    }

    Optional<Credential> credential(String name) throws IOException {
        Optional<String> text = files.read(name + ".pem");
        if (text.isEmpty()) {
            return Optional.empty();
        }
        int chain = text.get().indexOf(BEGIN_CERTIFICATE);
        if (chain < 0) {
            throw new IOException("the file " + name + ".pem among the secrets is damaged");
        }
        return Optional.of(
                new Credential(text.get().substring(0, chain), text.get().substring(chain)));
    }

    void forget(String name) throws IOException {
        files.remove(name + ".pem");
    }

    Credential keep(String name, KeyPair keys, String chain) throws IOException {
        var made = new Credential(Pem.of("PRIVATE KEY", keys.getPrivate().getEncoded()), chain.stripTrailing() + "\n");
        files.write(name + ".pem", made.keyPem() + made.certificatePem());
        return made;
    }
}
