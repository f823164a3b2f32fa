package org.spillway.head.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.sshd.client.session.ClientSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.director.wire.Directive;
import org.spillway.head.link.DirectorSessions;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.HostKeyRefused;
import org.spillway.head.link.LinkDownException;
import org.spillway.head.link.LinkTimes;
import org.spillway.head.link.SshDirectorLink;
import org.spillway.head.trust.SiteAuthority;
import org.spillway.stage.Checksum;

/** A real director process behind a real SSH server. */
@Timeout(600)
final class LinkAndBootstrapTest {
    /** A director's JVM has just started when it is first asked, on a machine that other tests share. */
    private static final LinkTimes PATIENT =
            new LinkTimes(Duration.ofSeconds(20), Duration.ofSeconds(60), Duration.ofSeconds(5));

    private static final LinkTimes SHORT =
            new LinkTimes(Duration.ofSeconds(2), Duration.ofSeconds(2), Duration.ofMillis(500));

    private static final Duration ABANDONED = Duration.ofHours(24);

    @TempDir
    Path folder;

    private final String address = "127.79." + ThreadLocalRandom.current().nextInt(1, 255) + "."
            + ThreadLocalRandom.current().nextInt(1, 255);
    private SiteAuthority authority;
    private DirectorSessions sessions;
    private ServerSocket provider;
    private SshDirectorLink link;
    private int httpsPort;

    @BeforeEach
    void open() throws Exception {
        authority = SiteAuthority.open(folder.resolve("state"), InstantSource.system());
        authority.directorUserData("n1", ABANDONED);
        sessions = new DirectorSessions(authority, "spillway", PATIENT);
        provider = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        try (var free = new ServerSocket(0, 1, InetAddress.getByName(address))) {
            httpsPort = free.getLocalPort();
        }
        link = new SshDirectorLink(authority, sessions, PATIENT, provider::getLocalPort, httpsPort);
    }

    @AfterEach
    void close() throws Exception {
        link.close();
        sessions.close();
        provider.close();
    }

    @Test
    void installsADirectorAndBringsItBackWithWhatWasStaged() throws Exception {
        try (var instance = instance(authority.hostKeys().bootstrapKey("n1"), false)) {
            var director = target(instance.port());
            var installer = installer(Distribution.in(folder.resolve("lib")));
            installer.install(director);
            var first = link.sync(director, directive(1));
            assertThat(first.sequence()).isEqualTo(1);
            assertThat(link.log(director, "1", 1, "n1", "stdout", 0))
                    .as("a job that the director does not run")
                    .isEmpty();
            stage(director, "in/a");

            installer.install(director);
            assertThat(link.sync(director, directive(2)).boot())
                    .as("an installed director is left alone")
                    .isEqualTo(first.boot());

            var process = instance.director();
            process.destroyForcibly();
            process.onExit().get();
            assertThatThrownBy(() -> link.sync(director, directive(3))).isInstanceOf(LinkDownException.class);
            installer.install(director);
            var second = link.sync(director, directive(4));
            assertThat(second.boot()).isNotEqualTo(first.boot());
            assertThat(second.store()).isEqualTo(first.store());
            try (var staging = link.staging(director)) {
                assertThat(staging.isSealed("in/a")).isTrue();
            }
            assertThat(mode(instance, "tls/server.key")).isEqualTo("rw-------");
            assertThat(mode(instance, "director.json")).isEqualTo("rw-------");

            Files.writeString(instance.home().resolve("spillway-director/lib/old.jar"), "not any more");
            installer.install(director);
            assertThat(instance.home().resolve("spillway-director/lib/old.jar")).doesNotExist();
            assertThat(link.sync(director, directive(5)).boot())
                    .as("what runs has the class path that was uploaded")
                    .isNotEqualTo(second.boot());
            checkDirectoryForward(director);
            link.forget("local");
            assertThat(link.sync(director, directive(6)).store()).isEqualTo(first.store());
        }
    }

    @Test
    void aDirectorBehindAPublicAddressListensOnItsOwn() throws Exception {
        try (var instance = instance(authority.hostKeys().bootstrapKey("n1"), false)) {
            String inside = "127.80." + address.substring("127.79.".length());
            var director = new DirectorTarget("local", "n1", "i-1", address, instance.port(), inside);
            installer(Distribution.in(folder.resolve("lib"))).install(director);
            assertThat(link.sync(director, directive(1)).sequence()).isEqualTo(1);
            assertThat(Files.readString(instance.home().resolve("spillway-director/director.json")))
                    .contains("\"listenAddress\" : \"" + inside + "\"");
        }
    }

    @Test
    void refusesAnotherHost() throws Exception {
        authority.directorUserData("other", ABANDONED);
        try (var instance = instance(authority.hostKeys().bootstrapKey("other"), false)) {
            var director = target(instance.port());
            assertThatThrownBy(() -> installer(folder).install(director))
                    .isInstanceOf(DirectorUnreachable.class)
                    .hasCauseInstanceOf(HostKeyRefused.class);
            assertThatThrownBy(() -> link.staging(director))
                    .isInstanceOf(LinkDownException.class)
                    .hasMessageContaining("does not hold the host key");
        }
    }

    @Test
    void waitsWhileABootingImageShowsItsOwnKey() throws Exception {
        authority.directorUserData("image", ABANDONED);
        try (var instance = instance(authority.hostKeys().bootstrapKey("image"), false)) {
            Path lib = Files.createDirectories(folder.resolve("lib"));
            Files.writeString(lib.resolve("nothing.jar"), "");
            instance.onRefusal(authority.hostKeys().bootstrapKey("n1"));
            assertThatThrownBy(() -> installer(lib).install(target(instance.port())))
                    .as("it got as far as to start the process")
                    .hasMessageContaining("the end of its log");
        }
    }

    @Test
    void tellsTheEndOfTheLogWhenTheProcessDoesNotStart() throws Exception {
        try (var instance = instance(authority.hostKeys().bootstrapKey("n1"), false)) {
            Path lib = Files.createDirectories(folder.resolve("lib"));
            Files.writeString(lib.resolve("nothing.jar"), "");
            assertThatThrownBy(() -> installer(lib).install(target(instance.port())))
                    .hasMessageContaining("the end of its log")
                    .hasMessageContaining("org.spillway.director.DirectorMain")
                    .hasMessageNotContaining("PRIVATE KEY");
        }
    }

    @Test
    void replacesTheHostKeyInTheFirstSession() throws Exception {
        var first = authority.hostKeys().accepted("n1");
        try (var instance = instance(authority.hostKeys().bootstrapKey("n1"), true)) {
            Path lib = Files.createDirectories(folder.resolve("lib"));
            Files.writeString(lib.resolve("nothing.jar"), "");
            var director = target(instance.port());
            assertThatThrownBy(() -> installer(lib).install(director)).hasMessageContaining("the end of its log");
            assertThat(authority.hostKeys().isRotated("n1")).isTrue();
            assertThat(authority.hostKeys().accepted("n1")).hasSize(1).doesNotContainAnyElementsOf(first);
            sessions.open(director).close(true);
        }
        try (var impostor = instance(authority.hostKeys().bootstrapKey("n1"), false)) {
            assertThatThrownBy(() -> sessions.open(target(impostor.port()))).isInstanceOf(HostKeyRefused.class);
            assertThatThrownBy(() -> installer(folder).install(target(impostor.port())))
                    .as("at once: its boot is long over")
                    .isInstanceOf(HostKeyRefused.class);
            assertThat(impostor.sessions()).isEqualTo(2);
        }
    }

    @Test
    void aMachineThatStillBootsMayTakeLongerForALoginThanForAConnection() throws Exception {
        var times = new LinkTimes(Duration.ofSeconds(1), Duration.ofSeconds(30), Duration.ofSeconds(5));
        try (var instance = instance(authority.hostKeys().bootstrapKey("n1"), false);
                var patient = new DirectorSessions(authority, "spillway", times)) {
            instance.slowLogin(times.connect().plusMillis(200));
            ClientSession session = patient.open(target(instance.port()));
            assertThat(session.isAuthenticated()).isTrue();
            session.close(true);
        }
    }

    @Test
    @Timeout(600)
    void doesNotHangOnAPeerThatSaysNothing() throws Exception {
        try (var silent = new ServerSocket(0, 5, InetAddress.getByName(address));
                var hasty = new DirectorSessions(authority, "spillway", SHORT);
                var hastyLink = new SshDirectorLink(authority, hasty, SHORT, provider::getLocalPort, httpsPort)) {
            assertThatThrownBy(() -> hastyLink.sync(target(silent.getLocalPort()), directive(1)))
                    .isInstanceOf(LinkDownException.class);
        }
    }

    private void checkDirectoryForward(DirectorTarget director) throws Exception {
        try (var far = new Socket("127.0.0.1", link.directoryPort(director));
                var near = provider.accept()) {
            far.getOutputStream().write('x');
            assertThat(near.getInputStream().read()).isEqualTo('x');
        }
    }

    private void stage(DirectorTarget director, String key) throws Exception {
        byte[] bytes = "staged".getBytes(StandardCharsets.UTF_8);
        var hash = java.security.MessageDigest.getInstance("SHA-256").digest(bytes);
        try (var staging = link.staging(director)) {
            staging.send(key, 0, new ByteArrayInputStream(bytes));
            staging.seal(key, new Checksum(bytes.length, HexFormat.of().formatHex(hash)));
            var back = new ByteArrayOutputStream();
            staging.receive(key, 0, back);
            assertThat(back.toByteArray()).isEqualTo(bytes);
        }
    }

    private SshDirectorInstaller installer(Path distribution) {
        return new SshDirectorInstaller(
                authority,
                sessions,
                link,
                new DirectorSettings(
                        distribution,
                        System.getProperty("java.home"),
                        Path.of(System.getProperty("java.home")),
                        folder.resolve("java"),
                        "dc=example",
                        httpsPort,
                        0,
                        Duration.ofSeconds(2),
                        Duration.ofMinutes(3)));
    }

    private TestInstance instance(String hostKey, boolean rotates) throws Exception {
        Path own = Files.createTempDirectory(folder, "instance");
        return new TestInstance(own, address, hostKey, authority.sshClientPublicLine(), rotates);
    }

    private DirectorTarget target(int port) {
        return new DirectorTarget("local", "n1", "i-1", address, port, address);
    }

    private static Directive directive(long sequence) {
        return new Directive(
                Directive.SCHEMA,
                "local",
                sequence,
                600,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                Directive.ImageGrant.NONE,
                Directive.DirectoryGrant.NONE,
                null,
                null,
                null,
                null);
    }

    private static String mode(TestInstance instance, String file) throws Exception {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(
                instance.home().resolve("spillway-director").resolve(file)));
    }
}
