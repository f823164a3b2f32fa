package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.stage.container.TinyImage;

/**
 * ADR 73: a user's jobs run in an image of a private registry, by each runtime with the same answer, and the second one starts
 * with nothing on its way. The user, the user's home and what is installed are those of a mount namespace of this test.
 */
@Tag("processes")
@Timeout(600)
final class ContainersTest {
    private static final int UID = 61_234;
    private static final int REFUSED = 2;
    private static final String WORD = "a word of this test";
    private static final String HASH = "ann:$2y$05$7OvqFnXz68M1919uJQqe1enJHzaeeChFhXSvVMSFwVU/HTKGcei5y\n";
    private static final List<String> RUNTIMES = List.of("apptainer", "podman", "ch-run");

    /** A folder with a Debian that has Apptainer, and all that a node needs; empty for this machine's. */
    private static final String TREE = System.getProperty("spillway.apptainer.tree", "");

    private static final String OTHER_RELEASE = """
            tree=$0
            mkdir -p "$tree/usr/lib/jvm"
            mount --bind /usr/lib/jvm "$tree/usr/lib/jvm"
            mount -t overlay -o "lowerdir=$tree/etc:/etc" etc /etc
            mount --bind "$1" /etc/passwd
            mount --bind "$2" /etc/group
            mount -t overlay -o "lowerdir=$tree/var/lib:/var/lib" lib /var/lib
            mount --rbind "$tree/usr" /usr
            shift 2
            exec "$@"
            """;

    private static final String SCRIPT = """
            #!/bin/sh
            #SPILLWAY --container %s --mem 256MiB --time 5m --out answer
            { hello; id -u; cat /etc/os-release; ls /etc/gone; echo "$PATH $X"; [ -w "$HOME" ] && echo home
              touch /bin/x || echo 'read only'; touch /tmp/x /var/tmp/x /dev/shm/x && echo scratch; cat given
              grep -o "/$SPILLWAY_JOB_ID\\.1$" /proc/self/cgroup | head -n 1 | sed 's|/[0-9]*|cage |'
              ls /dev | grep -c nvidia; sh -c 'exit 7'; echo "$?"; } >answer 2>/dev/null
            env | grep -c CH_RUNNING
            [ -e /run/.containerenv ] && grep -c ' /run/.containerenv ' /proc/mounts
            exit 3
            """;

    private static final String ANSWER = """
            hello: it's here
            61234
            ID=tiny
            /opt/own:/usr/bin:/bin a'b
            home
            read only
            scratch
            of home
            cage .1
            0
            7
            """;

    private Path folder = Path.of("/");
    private Path home = folder;
    private @Nullable Process registry;
    private @Nullable HeadFixture fixture;
    private String image = "";

    @BeforeEach
    void begin() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "not root: no user of its own for this test");
        for (String each : List.of("/usr/bin/docker-registry", "/bin/busybox")) {
            assumeTrue(
                    Files.isExecutable(Path.of(each)),
                    each + " is missing: apt-get install docker-registry busybox-static");
        }
        // Not below JUnit's folder, which only this process's user may enter.
        folder = Files.createTempDirectory("spillway-containers").toRealPath();
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        home = Files.createDirectories(folder.resolve("users/ann"));
        Files.writeString(home.resolve("given"), "of home\n");
        int port = startRegistry();
        image = "127.0.0.1:" + port + "/lab/tiny:1";
        String words = Base64.getEncoder().encodeToString(("ann:" + WORD).getBytes(StandardCharsets.UTF_8));
        TinyImage.ofBusybox().push(URI.create("http://127.0.0.1:" + port + "/v2/lab/tiny/"), "1", "Basic " + words);
        Path logins =
                Files.createDirectories(home.resolve(".config/containers")).resolve("auth.json");
        Files.writeString(logins, "{\"auths\":{\"127.0.0.1:" + port + "\":{\"auth\":\"" + words + "\"}}}");
        Files.setPosixFilePermissions(logins, PosixFilePermissions.fromString("rw-------"));
        try (Stream<Path> all = Files.walk(home)) {
            for (Path each : all.toList()) {
                Files.setAttribute(each, "unix:uid", UID);
                Files.setAttribute(each, "unix:gid", UID);
            }
        }
    }

    @AfterEach
    void end() throws IOException {
        if (fixture != null) {
            fixture.close();
        }
        if (registry != null) {
            registry.destroyForcibly();
        }
        Installation.delete(folder);
    }

    private int startRegistry() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Path words = Files.writeString(folder.resolve("htpasswd"), HASH);
        Path config = Files.writeString(
                folder.resolve("registry.yml"), """
                version: 0.1
                log: { level: warn }
                storage: { filesystem: { rootdirectory: %s } }
                http: { addr: '127.0.0.1:%d' }
                auth: { htpasswd: { realm: private, path: %s } }
                """.formatted(folder.resolve("registry"), port, words));
        registry = new ProcessBuilder("/usr/bin/docker-registry", "serve", config.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("registry.log").toFile())
                .start();
        assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> listens(port)))
                .as(Files.readString(folder.resolve("registry.log")))
                .isTrue();
        return port;
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            return socket.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    /** With no other runtime than that, in a machine that knows the user. */
    private void startHead(String runtime) throws IOException {
        Path passwd = Files.writeString(
                folder.resolve("passwd"),
                Files.readString(Path.of("/etc/passwd")) + "ann:x:" + UID + ":" + UID + "::" + home + ":/bin/sh\n");
        Path group = Files.writeString(
                folder.resolve("group"), Files.readString(Path.of("/etc/group")) + "ann:x:" + UID + ":\n");
        var command = new ArrayList<>(List.of(
                "unshare",
                "--mount",
                "sh",
                "-c",
                "mount --bind \"$0\" /etc/passwd && mount --bind \"$1\" /etc/group && shift && while [ \"$1\" != -- ]; do"
                        + " mount --bind /dev/null \"$1\" || exit 1; shift; done && shift && exec \"$@\"",
                passwd.toString(),
                group.toString()));
        for (String each : RUNTIMES) {
            Path program = Path.of("/usr/bin", each);
            if (!each.equals(runtime) && Files.exists(program)) {
                command.add(program.toString());
            }
        }
        command.add("--");
        if (runtime.equals("apptainer") && !TREE.isEmpty()) {
            command.addAll(List.of("sh", "-ec", OTHER_RELEASE, TREE, passwd.toString(), group.toString()));
        }
        HeadFixture made = new HeadFixture(Files.createDirectory(folder.resolve("head")));
        fixture = made;
        Files.setPosixFilePermissions(made.folder(), PosixFilePermissions.fromString("rwxr-xr-x"));
        made.under(command, Map.of()).start();
    }

    private HeadFixture head() {
        return Objects.requireNonNull(fixture);
    }

    /** As the user. @return what the command prints */
    private String run(int code, String... words) throws Exception {
        var command = new ArrayList<>(
                List.of("setpriv", "--reuid=" + UID, "--regid=" + UID, "--clear-groups", "--no-new-privs", "--"));
        command.addAll(Installation.shared().java("org.spillway.cli.Main"));
        command.add(words[0]);
        command.addAll(
                List.of("--socket", head().state().resolve("spillway.sock").toString()));
        command.addAll(List.of(words).subList(1, words.length));
        Path out = Files.createTempFile(folder, "client", ".out");
        Process client = new ProcessBuilder(command)
                .directory(home.toFile())
                .redirectErrorStream(true)
                .redirectInput(new File("/dev/null"))
                .redirectOutput(out.toFile())
                .start();
        assertThat(client.waitFor(HeadFixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .as(head().tail())
                .isTrue();
        String said = Files.readString(out);
        assertThat(client.exitValue()).as(said + head().tail()).isEqualTo(code);
        return said;
    }

    private JobDetail job(String script) throws Exception {
        Files.writeString(home.resolve("job.sh"), script);
        String id =
                run(0, "submit", "--in", "given", "--env", "X=a'b", "job.sh").strip();
        return head().awaitEnd(id.substring(id.lastIndexOf('\n') + 1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"podman", "ch-run", "apptainer"})
    void aJobRunsInAnImage(String runtime) throws Exception {
        assumeTrue(
                Files.isExecutable(Path.of("/usr/bin", runtime)) || (runtime.equals("apptainer") && !TREE.isEmpty()),
                runtime + " is missing: apt-get install podman crun charliecloud; Apptainer is in Debian unstable");
        startHead(runtime);
        JobDetail first = job(SCRIPT.formatted(image));
        String id = first.job().id();
        String shown = Files.readString(home.resolve("spillway-" + id + ".err")) + head().tail();
        assertThat(first.job().exitCode()).as(first + shown).isEqualTo(3);
        assertThat(home.resolve("answer")).as(shown).hasContent(ANSWER);
        assertThat(home.resolve("spillway-" + id + ".out"))
                .hasContent(
                        switch (runtime) {
                            case "ch-run" -> "1\n0\n";
                            case "podman" -> "0\n1\n";
                            default -> "0\n0\n";
                        });
        assertThat(first.container())
                .isEqualTo(image + "@" + TinyImage.ofBusybox().digest());
        assertThat(Objects.requireNonNull(first.data()).sentBytes()).isPositive();
        Objects.requireNonNull(registry).destroyForcibly().waitFor();
        Files.delete(home.resolve("answer"));
        String pinned = Objects.requireNonNull(first.container());
        JobDetail second = job(SCRIPT.formatted(pinned));
        assertThat(second.job().exitCode()).as(second + head().tail()).isEqualTo(3);
        assertThat(home.resolve("answer")).hasContent(ANSWER);
        assertThat(Objects.requireNonNull(second.data()).sentBytes()).isZero();
        assertThat(second.data().nodeBytes()).isZero();
        assertThat(run(0, "run", "--container", pinned, "--mem", "256MiB", "hello"))
                .contains("hello: it's here\n");
        assertThat(Files.readString(head().log())).doesNotContain(WORD);
    }

    @Test
    void whatCannotBeIsSaid() throws Exception {
        startHead("none");
        JobDetail refused = job(SCRIPT.formatted(image));
        assertThat(refused.job().state()).isEqualTo(JobState.FAILED);
        assertThat(refused.job().reason())
                .contains("no runtime for its image: this node has none of apptainer, podman (with crun) and ch-run");
        assertThat(run(REFUSED, "submit", "--container", image.replace("tiny:1", "tiny:2"), "job.sh"))
                .contains("there is no such image (404)");
        Files.delete(home.resolve(".config/containers/auth.json"));
        assertThat(run(REFUSED, "submit", "--container", image, "job.sh"))
                .contains("not for this user (401): nobody is logged in there");
        assertThat(run(REFUSED, "submit", "--container", "https://x/y", "job.sh"))
                .contains("is no name of a repository");
    }

    @Test
    void aRegistryThatIsDownIsWaitedFor() throws Exception {
        startHead("ch-run");
        Process running = Objects.requireNonNull(registry);
        running.destroyForcibly().waitFor();
        Files.writeString(home.resolve("job.sh"), SCRIPT.formatted(image));
        String id =
                run(0, "submit", "--in", "given", "--env", "X=a'b", "job.sh").strip();
        String job = id.substring(id.lastIndexOf('\n') + 1);
        JobDetail waits = head().await(job, view -> view.reason().contains("does not answer"));
        assertThat(waits.job().reason()).contains("the image " + image + " cannot be fetched now");
        registry = new ProcessBuilder(
                        "/usr/bin/docker-registry",
                        "serve",
                        folder.resolve("registry.yml").toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("registry.log").toFile())
                .start();
        boolean runs = Files.isExecutable(Path.of("/usr/bin/ch-run"));
        JobDetail ended = head().awaitEnd(job);
        assertThat(ended.job().exitCode()).as(head().tail()).isEqualTo(runs ? 3 : 126);
        assertThat(ended.container())
                .isEqualTo(image + "@" + TinyImage.ofBusybox().digest());
    }
}
