package org.spillway.head.trust;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.DN;
import com.unboundid.util.ssl.cert.PKCS10CertificateSigningRequest;
import com.unboundid.util.ssl.cert.SignatureAlgorithmIdentifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.security.spec.X509EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

final class SiteAuthorityTest {
    private static final Instant NOW = Instant.now();
    private static final String CLIENT = "1.3.6.1.5.5.7.3.2";
    private static final String SERVER = "1.3.6.1.5.5.7.3.1";

    @TempDir
    Path state;

    private SiteAuthority authority;

    @BeforeEach
    void open() throws Exception {
        authority = SiteAuthority.open(state, InstantSource.fixed(NOW));
    }

    /** A demo's look at a running head's secrets took the file away that the head was about to put in its place. */
    @Test
    void whoOpensItBesideAHeadTakesNothingAwayThatIsBeingWritten(@TempDir Path other) throws Exception {
        SiteAuthority.open(other, InstantSource.system());
        Path underWay = Files.writeString(other.resolve("secrets/state-id.unfinished"), "half");
        SiteAuthority.beside(other, InstantSource.system());
        assertThat(underWay).exists();
        SiteAuthority.open(other, InstantSource.system());
        assertThat(underWay).doesNotExist();
    }

    @Test
    void keepsSecretsFromOtherUsers() throws Exception {
        authority.headClient();
        authority.directorCertificate("n1", "local", "127.77.0.2");
        authority.directorUserData("n1", ABANDONED);
        assertThat(mode(state.resolve("secrets"))).isEqualTo("rwx------");
        try (var files = Files.list(state.resolve("secrets"))) {
            assertThat(files)
                    .hasSize(7)
                    .allSatisfy(file -> assertThat(mode(file)).isEqualTo("rw-------"));
        }
    }

    @Test
    void closesAFolderThatSomebodyOpened() throws Exception {
        Files.setPosixFilePermissions(state.resolve("secrets"), PosixFilePermissions.fromString("rwxr-xr-x"));
        Path key = state.resolve("secrets/ssh-client");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
        reopened();
        assertThat(mode(state.resolve("secrets"))).isEqualTo("rwx------");
        assertThat(mode(key)).isEqualTo("rw-------");
    }

    private static final Duration ABANDONED = Duration.ofHours(2);

    @Test
    void isTheSameAfterARestart() throws Exception {
        String data = authority.directorUserData("n1", ABANDONED);
        var again = reopened();
        assertThat(again.certificatePem()).isEqualTo(authority.certificatePem());
        assertThat(again.joinToken("i-1")).isEqualTo(authority.joinToken("i-1"));
        assertThat(again.directoryPassword("local")).isEqualTo(authority.directoryPassword("local"));
        assertThat(again.headClient()).isEqualTo(authority.headClient());
        assertThat(again.sshClientPublicLine()).isEqualTo(authority.sshClientPublicLine());
        assertThat(again.imagePublicKeyPem()).isEqualTo(authority.imagePublicKeyPem());
        assertThat(again.directorUserData("n1", ABANDONED)).isEqualTo(data);
        assertThat(again.renderSecrets(data)).isEqualTo(authority.renderSecrets(data));
        assertThat(again.directorCertificate("n1", "local", "127.77.0.2"))
                .isEqualTo(authority.directorCertificate("n1", "local", "127.77.0.2"));
    }

    @Test
    void makesADirectorsCertificateAnewWhenItMovesOrAges() throws Exception {
        var first = authority.directorCertificate("n1", "local", "127.77.0.2");
        var moved = authority.directorCertificate("n1", "local", "127.77.0.3");
        assertThat(moved).isNotEqualTo(first);
        var later = SiteAuthority.open(state, InstantSource.fixed(NOW.plus(Duration.ofDays(300))));
        assertThat(later.directorCertificate("n1", "local", "127.77.0.3")).isNotEqualTo(moved);
    }

    @Test
    void givesEachPurposeAndEachNameItsOwnSecret() {
        assertThat(List.of(
                        authority.joinToken("a"),
                        authority.joinToken("b"),
                        authority.directoryPassword("a"),
                        authority.directoryPassword("b")))
                .doesNotHaveDuplicates()
                .allSatisfy(secret -> assertThat(secret).matches("[A-Za-z0-9_-]{43}"));
    }

    @Test
    void tellsOfATokenOnlyItsHash() throws Exception {
        byte[] hash = java.security.MessageDigest.getInstance("SHA-256")
                .digest(authority.joinToken("i-1").getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        assertThat(authority.tokenSha256("i-1")).isEqualTo(HexFormat.of().formatHex(hash));
    }

    @Test
    void certifiesANodeForNothingButItsName() throws Exception {
        KeyPair keys = Certificates.newKeys();
        String chain = authority.signNode(csr(keys, "CN=spillway-head"), "n7", Duration.ofHours(2));
        X509Certificate certificate = Pem.certificate(chain);
        certificate.verify(ca().getPublicKey());
        assertThat(certificate.getSubjectX500Principal().getName()).isEqualTo("CN=node:n7");
        assertThat(certificate.getPublicKey()).isEqualTo(keys.getPublic());
        assertThat(certificate.getExtendedKeyUsage()).containsExactly(CLIENT);
        assertThat(certificate.getBasicConstraints()).isEqualTo(-1);
        assertThat(certificate.getNotAfter().toInstant())
                .isBetween(NOW.plus(Duration.ofHours(2)).minusSeconds(2), NOW.plus(Duration.ofHours(2)));
        assertThat(chain).endsWith(authority.certificatePem());
    }

    @Test
    void refusesARequestThatIsNotSignedByItsKey() throws Exception {
        var request = PKCS10CertificateSigningRequest.generateCertificateSigningRequest(
                SignatureAlgorithmIdentifier.SHA_256_WITH_ECDSA, Certificates.newKeys(), new DN("CN=x"));
        byte[] der = request.getPKCS10CertificateSigningRequestBytes();
        der[der.length - 5] ^= 1;
        assertThatThrownBy(() -> authority.signNode(Pem.of("CERTIFICATE REQUEST", der), "n7", Duration.ofHours(1)))
                .isInstanceOf(CsrRefused.class)
                .hasMessageContaining("not signed by its own key");
    }

    @Test
    void refusesWhatIsNoRequest() {
        for (String text :
                List.of("", "-----BEGIN CERTIFICATE REQUEST-----", authority.certificatePem(), "x".repeat(20_000))) {
            assertThatThrownBy(() -> authority.signNode(text, "n7", Duration.ofHours(1)))
                    .isInstanceOf(CsrRefused.class);
        }
    }

    @Test
    void namesTheDirectorAndItsAddresses() throws Exception {
        var credential = authority.directorCertificate("n1", "local", "127.77.0.2");
        X509Certificate certificate = Pem.certificate(credential.certificatePem());
        certificate.verify(ca().getPublicKey());
        assertThat(certificate.getSubjectX500Principal().getName()).isEqualTo("CN=director:n1,O=local");
        assertThat(certificate.getExtendedKeyUsage()).containsExactly(SERVER);
        assertThat(certificate.getSubjectAlternativeNames())
                .extracting(name -> (Object) name.get(1))
                .containsExactly("127.77.0.2", "127.0.0.1");
        assertThat(Pem.certificate(authority.headClient().certificatePem()).getExtendedKeyUsage())
                .containsExactly(CLIENT);
    }

    @Test
    void signsImages() throws Exception {
        var key = KeyFactory.getInstance("EC")
                .generatePublic(new X509EncodedKeySpec(Pem.der("PUBLIC KEY", authority.imagePublicKeyPem())));
        var signature = Signature.getInstance("SHA256withECDSA");
        signature.initVerify(key);
        signature.update("an image".getBytes(java.nio.charset.StandardCharsets.UTF_8));
        assertThat(signature.verify(Base64.getDecoder().decode(authority.signImage("an image"))))
                .isTrue();
    }

    @Test
    void keepsSecretsOutOfTheTemplateAndOutOfText() throws Exception {
        String template = authority.directorUserData("n1", ABANDONED);
        assertThat(template).contains("@@SPILLWAY:hostkey:n1@@").doesNotContain("PRIVATE KEY");
        var director = authority.directorCertificate("n1", "local", "127.77.0.2");
        for (Object value : List.of(authority, director, authority.headClient())) {
            assertThat(value.toString()).doesNotContain("BEGIN", "MII", "MIG");
        }
    }

    @Test
    void rendersUserDataThatIsYamlWithAKey() throws Exception {
        String text = authority.renderSecrets(authority.directorUserData("n1", ABANDONED));
        assertThat(text)
                .startsWith("#cloud-config\n")
                .doesNotContain("@@SPILLWAY")
                .hasSizeLessThan(16 * 1024);
        Map<String, Object> yaml = new Yaml().load(text);
        @SuppressWarnings("unchecked")
        var keys = (Map<String, String>) yaml.get("ssh_keys");
        var host = SshKeys.parse(keys.get("ecdsa_private"));
        assertThat(keys.get("ecdsa_public")).isEqualTo(SshKeys.publicLine(host.getPublic()));
        assertThat(authority.hostKeys().accepted("n1")).containsExactly(host.getPublic());
        assertThat(yaml.get("ssh_authorized_keys")).isEqualTo(List.of(authority.sshClientPublicLine()));
        var files = (List<?>) yaml.get("write_files");
        assertThat(((Map<?, ?>) files.get(0)).get("content")).isEqualTo(UserData.ROTATION_SCRIPT);
        assertThat(((Map<?, ?>) files.get(1)).get("content"))
                .isEqualTo(UserData.watchScript(ABANDONED))
                .asString()
                .contains("\nlimit=7200\n");
    }

    @Test
    void rendersTokensInTheMiddleOfALine() throws Exception {
        assertThat(authority.renderSecrets("a: '@@SPILLWAY:join:i-1@@' # x\n"))
                .isEqualTo("a: '" + authority.joinToken("i-1") + "' # x\n");
        assertThatThrownBy(() -> authority.renderSecrets("@@SPILLWAY:master:x@@"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void acceptsTwoHostKeysOnlyWhileOneReplacesTheOther() throws Exception {
        authority.directorUserData("n1", ABANDONED);
        var keys = authority.hostKeys();
        var first = SshKeys.parse(keys.bootstrapKey("n1")).getPublic();
        var second = SshKeys.parse(keys.nextKey("n1")).getPublic();
        assertThat(reopened().hostKeys().accepted("n1")).containsExactly(first, second);
        keys.seen("n1", first);
        assertThat(keys.isRotated("n1")).isFalse();
        keys.seen("n1", second);
        assertThat(keys.isRotated("n1")).isTrue();
        assertThat(reopened().hostKeys().accepted("n1")).containsExactly(second);
    }

    @Test
    void saysWhatIsDamagedWithoutQuotingIt() throws Exception {
        Path key = state.resolve("secrets/ssh-client");
        String damaged = Files.readString(key).replaceFirst("b3BlbnNzaC1rZXk", "c3BlbnNzaC1rZXk");
        Files.writeString(key, damaged);
        assertThatThrownBy(this::reopened)
                .hasMessageContaining("damaged")
                .hasNoCause()
                .hasMessageNotContaining("c3Blbn");
    }

    @Test
    void refusesNamesThatLeaveTheirPlace() {
        for (String name : List.of("", "..", "a/b", "a,O=b", "a\nb")) {
            assertThatThrownBy(() -> authority.directorCertificate(name, "local", "127.0.0.1"))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> authority.hostKeys().nextKey(name)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void satisfiesOpensslAndSshKeygen() throws Exception {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/openssl")));
        Path ca = Files.writeString(state.resolve("ca.pem"), authority.certificatePem());
        Path server = Files.writeString(
                state.resolve("server.pem"),
                authority.directorCertificate("n1", "local", "127.77.0.2").certificatePem());
        Path client = Files.writeString(
                state.resolve("client.pem"),
                authority.signNode(csr(Certificates.newKeys(), "CN=x"), "n7", Duration.ofHours(1)));
        run(
                "openssl",
                "verify",
                "-x509_strict",
                "-purpose",
                "sslserver",
                "-verify_ip",
                "127.77.0.2",
                "-CAfile",
                ca.toString(),
                server.toString());
        run("openssl", "verify", "-x509_strict", "-purpose", "sslclient", "-CAfile", ca.toString(), client.toString());
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/ssh-keygen")));
        String shown = run(
                "ssh-keygen", "-y", "-f", state.resolve("secrets/ssh-client").toString());
        assertThat(shown).startsWith(authority.sshClientPublicLine());
    }

    private SiteAuthority reopened() throws Exception {
        return SiteAuthority.open(state, InstantSource.fixed(NOW));
    }

    private X509Certificate ca() throws Exception {
        return Pem.certificate(authority.certificatePem());
    }

    private static String csr(KeyPair keys, String subject) throws Exception {
        return PKCS10CertificateSigningRequest.generateCertificateSigningRequest(
                        SignatureAlgorithmIdentifier.SHA_256_WITH_ECDSA, keys, new DN(subject))
                .toPEMString();
    }

    private static String mode(Path file) throws java.io.IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    private static String run(String... command) throws Exception {
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
