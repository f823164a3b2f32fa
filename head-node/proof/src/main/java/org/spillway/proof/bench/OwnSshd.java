package org.spillway.proof.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An sshd of its own on the loopback, behind a line where there is one, and the client's configuration for it: host {@code peer}. */
final class OwnSshd implements AutoCloseable {
    private static final Path SSHD = Path.of("/usr/sbin/sshd");
    private static final long PATIENCE_MINUTES = 30;

    private final Path folder;
    private final Process server;

    private OwnSshd(Path folder, Process server) {
        this.folder = folder;
        this.server = server;
    }

    /** The first program that is lacking; empty where all are there. */
    static Optional<String> missing(String client) {
        List<String> path = List.of(System.getenv().getOrDefault("PATH", "").split(":", -1));
        return Stream.of(client, "ssh", "ssh-keygen")
                .filter(program -> path.stream()
                        .noneMatch(place -> Files.isExecutable(Path.of(place).resolve(program))))
                .findFirst()
                .or(() -> Files.isExecutable(SSHD) ? Optional.empty() : Optional.of("sshd"));
    }

    /** The first line of what a program says. */
    static String said(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return text.lines().findFirst().orElse("").strip();
    }

    /**
     * @param folder for keys and configuration
     * @param link between client and server; null for the loopback
     */
    static OwnSshd start(Path folder, @Nullable SlowLink link) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        for (String key : List.of("host_key", "user_key")) {
            run(List.of(
                    "ssh-keygen",
                    "-q",
                    "-t",
                    "ed25519",
                    "-N",
                    "",
                    "-f",
                    folder.resolve(key).toString()));
        }
        if (Integer.valueOf(0).equals(Files.getAttribute(folder, "unix:uid"))) {
            Files.createDirectories(Path.of("/run/sshd")); // sshd's own: it refuses to start as root without it
        }
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Path config = Files.writeString(folder.resolve("sshd_config"), """
                ListenAddress 127.0.0.1
                Port %d
                HostKey %s
                AuthorizedKeysFile %s
                PidFile none
                UsePAM no
                StrictModes no
                PermitRootLogin yes
                PasswordAuthentication no
                Subsystem sftp internal-sftp
                """.formatted(
                        port, folder.resolve("host_key"), folder.resolve("user_key.pub")));
        Files.writeString(folder.resolve("ssh_config"), """
                Host *
                  HostName 127.0.0.1
                  Port %d
                  IdentityFile %s
                  IdentitiesOnly yes
                  StrictHostKeyChecking no
                  UserKnownHostsFile /dev/null
                  LogLevel ERROR
                """.formatted(
                        link == null ? port : gate(link, port), folder.resolve("user_key")));
        Process server = new ProcessBuilder(SSHD.toString(), "-D", "-e", "-f", config.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("sshd.log").toFile())
                .start();
        var own = new OwnSshd(folder, server);
        try {
            HeadUnderTest.await("sshd answers", Duration.ofSeconds(20), () -> answers(port));
            return own;
        } catch (IOException | InterruptedException e) {
            own.close();
            throw e;
        }
    }

    /** The file for {@code ssh -F}. */
    Path configuration() {
        return folder.resolve("ssh_config");
    }

    private static int gate(SlowLink link, int port) throws IOException {
        InetAddress here = InetAddress.getLoopbackAddress();
        return link.gate(new InetSocketAddress(here, 0), new InetSocketAddress(here, port))
                .getPort();
    }

    private static boolean answers(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    /** @throws IOException if it does not end well */
    static void run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .inheritIO()
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            if (!process.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES)) {
                throw new IOException(command.getFirst() + " does not end");
            }
        } finally {
            process.destroyForcibly();
        }
        if (process.exitValue() != 0) {
            throw new IOException(String.join(" ", command) + " ended with " + process.exitValue());
        }
    }

    @Override
    public void close() {
        server.descendants().forEach(ProcessHandle::destroy);
        server.destroy();
    }
}
