package org.spillway.head.bootstrap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.apache.sshd.client.session.ClientSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.head.link.DirectorSessions;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.LinkTimes;
import org.spillway.head.trust.SiteAuthority;

/** Something that calls itself a Java, over a real SSH server. The real one is brought to a real machine by labs/vm. */
@Timeout(600)
final class JavaDeliveryTest {
    private static final String NAME = "java-25.0.1_1-LTS-test";
    private static final String SCRIPT = read();

    @TempDir
    Path folder;

    private DirectorSessions sessions;
    private TestInstance instance;
    private ClientSession session;
    private RemoteShell shell;
    private Path there;

    @BeforeEach
    void connect() throws Exception {
        var authority = SiteAuthority.open(folder.resolve("state"), InstantSource.system());
        authority.directorUserData("n1", Duration.ofHours(24));
        sessions = new DirectorSessions(authority, "spillway", LinkTimes.USUAL);
        String address = InetAddress.getLoopbackAddress().getHostAddress();
        instance = new TestInstance(
                folder, address, authority.hostKeys().bootstrapKey("n1"), authority.sshClientPublicLine(), false);
        session = sessions.open(new DirectorTarget("s", "n1", "i-1", address, instance.port(), address));
        shell = new RemoteShell(session);
        there = instance.home().resolve("spillway-director/java");
    }

    @AfterEach
    void disconnect() throws Exception {
        session.close(true);
        sessions.close();
        instance.close();
    }

    @Test
    void arrivesInPartsAndTheMissingOnesAreSentAgain() throws Exception {
        JavaArchive java = archive("#!/bin/sh\necho 'openjdk version \"25\"' >&2\n", machine());
        var delivery = new JavaDelivery(() -> java, SCRIPT);
        assertThat(delivery.bring(session, shell, "i-1")).isEqualTo(there.resolve(NAME + "/bin/java") + "");
        assertThat(there.toFile().list()).as("no part is left").containsExactly(NAME);

        // A connection that was cut after the first part, and a second part of another content.
        byte[] all = Files.readAllBytes(java.file());
        assertThat(all.length).isBetween(4 << 20, 12 << 20);
        Path first = there.resolve(NAME + ".part-000");
        Files.write(first, Arrays.copyOf(all, 4 << 20));
        var before = Files.getLastModifiedTime(first);
        Files.writeString(there.resolve(NAME + ".part-001"), "other");
        var sent = new JavaDelivery(
                () -> {
                    assertThat(Files.getLastModifiedTime(first)).isEqualTo(before);
                    return java;
                },
                SCRIPT);
        assertThat(sent.bring(session, shell, "i-1")).isEqualTo(there.resolve(NAME + "/bin/java") + "");
        assertThat(there.toFile().list()).containsExactly(NAME);
        assertThat(shell.run("sh -s -- java", SCRIPT, Duration.ofSeconds(20)).succeeded())
                .isTrue();
    }

    @Test
    void anotherContentIsNotUnpacked() throws Exception {
        JavaArchive java = archive("#!/bin/sh\n", machine());
        var wrong = new JavaArchive(NAME, java.machine(), java.file(), "0".repeat(64));
        assertThatThrownBy(() -> new JavaDelivery(() -> wrong, SCRIPT).bring(session, shell, "i-1"))
                .hasMessageContaining("the digest of what arrived is " + java.sha256());
        assertThat(there).isEmptyDirectory();
    }

    @Test
    void whatDoesNotRunThereIsNotKept() throws Exception {
        JavaArchive java = archive("#!/bin/sh\necho 'no such library' >&2\nexit 1\n", machine());
        assertThatThrownBy(() -> new JavaDelivery(() -> java, SCRIPT).bring(session, shell, "i-1"))
                .hasMessageContaining("no such library");
        assertThat(there.resolve(NAME)).doesNotExist();
    }

    @Test
    void saysSoWhenTheInstanceIsOfAnotherArchitecture() throws Exception {
        JavaArchive java = archive("#!/bin/sh\n", "pdp11");
        assertThatThrownBy(() -> new JavaDelivery(() -> java, SCRIPT).bring(session, shell, "i-1"))
                .hasMessageContaining("the head's own runs on Linux pdp11 glibc and not on Linux " + machine())
                .hasMessageContaining("choose another instance type or image");
    }

    @Test
    void aHeadOnAJavaWithoutJlinkSaysWhatToDo() throws Exception {
        Path jre = Files.createDirectories(folder.resolve("jre"));
        Files.writeString(jre.resolve("release"), "JAVA_RUNTIME_VERSION=\"25.0.1+1\"\nOS_ARCH=\"x86_64\"\n");
        assertThatThrownBy(() -> new HeadJava(jre, folder.resolve("cache")).get())
                .hasMessageContaining("has no jlink")
                .hasMessageContaining("run the head on a JDK");
    }

    private JavaArchive archive(String program, String machine) throws Exception {
        Path tree = Files.createDirectories(folder.resolve("tree/bin"));
        Path java = Files.writeString(tree.resolve("java"), program);
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
        byte[] ballast = new byte[6 << 20];
        new Random(1).nextBytes(ballast);
        Files.write(tree.resolve("modules"), ballast);
        Path file = folder.resolve("java.tar.gz");
        run("tar", "-czf", file.toString(), "-C", tree.getParent().toString(), ".");
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
        return new JavaArchive(NAME, machine, file, HexFormat.of().formatHex(digest));
    }

    private String machine() throws Exception {
        return shell.run("uname -m", "", Duration.ofSeconds(20)).output().strip();
    }

    private static void run(String... command) throws Exception {
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    }

    private static String read() {
        try (var in = SshDirectorInstaller.class.getResourceAsStream("director.sh")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
