package org.spillway.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.stage.Checksum;

class ImageSignerTest {
    private static final Path OPENSSL = Path.of("/usr/bin/openssl");

    @TempDir
    Path scratch;

    private KeyPair keys;
    private ImageVersion version;
    private Path archive;

    @BeforeEach
    void sign() throws GeneralSecurityException, IOException {
        keys = keys("secp256r1");
        Path tree = Files.createDirectory(scratch.resolve("tree"));
        Files.writeString(tree.resolve("file"), "content");
        ImageBuilder.Built built = ImageBuilder.build(tree, "base-image", scratch.resolve("store"));
        version = new ImageSigner(keys.getPrivate()).sign(built.name(), built.archive());
        archive = built.file();
    }

    private static KeyPair keys(String curve) throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec(curve));
        return generator.generateKeyPair();
    }

    @Test
    void theSignedTextIsExactlyThis() {
        assertThat(ImageVersion.signedText("base", new Checksum(12, "ab".repeat(32))))
                .asString(StandardCharsets.US_ASCII)
                .isEqualTo("spillway-image-1\nbase\n" + "ab".repeat(32) + "\n12\n");
    }

    @Test
    void whatTheHeadSignedIsAcceptedAndNothingElse() throws IOException, GeneralSecurityException {
        ImageVerifier verifier = new ImageVerifier(keys.getPublic());
        verifier.verify(version, archive);

        Checksum sum = version.archive();
        String other = sum.sha256().replaceFirst("^.", sum.sha256().startsWith("0") ? "1" : "0");
        refused(verifier, new ImageVersion("other", sum, version.signature()));
        refused(
                verifier,
                new ImageVersion(version.name(), new Checksum(sum.bytes() + 1, sum.sha256()), version.signature()));
        refused(verifier, new ImageVersion(version.name(), new Checksum(sum.bytes(), other), version.signature()));
        byte[] flipped = Base64.getDecoder().decode(version.signature());
        flipped[flipped.length - 1] ^= 1;
        refused(
                verifier,
                new ImageVersion(version.name(), sum, Base64.getEncoder().encodeToString(flipped)));
        refused(verifier, new ImageVersion(version.name(), sum, ""));
        refused(verifier, new ImageVersion(version.name(), sum, "no base64!"));
        refused(new ImageVerifier(keys("secp256r1").getPublic()), version);
    }

    private static void refused(ImageVerifier verifier, ImageVersion version) {
        assertThatThrownBy(() -> verifier.verify(version))
                .isInstanceOf(ImageRefused.class)
                .hasMessageContaining("signature");
    }

    @Test
    void aFlippedByteInTheArchiveIsRefused() throws IOException {
        byte[] bytes = Files.readAllBytes(archive);
        bytes[bytes.length / 2] ^= 1;
        Path tampered = Files.write(scratch.resolve("tampered.tar"), bytes);
        assertThatThrownBy(() -> new ImageVerifier(keys.getPublic()).verify(version, tampered))
                .isInstanceOf(ImageRefused.class)
                .hasMessageContaining("tampered.tar");
    }

    @Test
    void onlyTheAgreedCurveSigns() throws GeneralSecurityException {
        KeyPair larger = keys("secp384r1");
        assertThatThrownBy(() -> new ImageSigner(larger.getPrivate())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ImageVerifier(larger.getPublic())).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void opensslAgrees() throws Exception {
        assumeTrue(Files.isExecutable(OPENSSL), "no /usr/bin/openssl: install the package openssl");
        String pem = Base64.getMimeEncoder().encodeToString(keys.getPublic().getEncoded());
        Path key = Files.writeString(
                scratch.resolve("pub.pem"), "-----BEGIN PUBLIC KEY-----\n" + pem + "\n-----END PUBLIC KEY-----\n");
        Path signature = Files.write(scratch.resolve("sig"), Base64.getDecoder().decode(version.signature()));
        byte[] text = ImageVersion.signedText(version.name(), version.archive());
        assertThat(openssl(key, signature, text)).isZero();
        text[text.length - 2] ^= 1;
        assertThat(openssl(key, signature, text)).isNotZero();
    }

    private int openssl(Path key, Path signature, byte[] text) throws IOException, InterruptedException {
        Path signed = Files.write(scratch.resolve("text"), text);
        return new ProcessBuilder(
                        OPENSSL.toString(),
                        "dgst",
                        "-sha256",
                        "-verify",
                        key.toString(),
                        "-signature",
                        signature.toString(),
                        signed.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }
}
