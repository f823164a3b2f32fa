package org.spillway.proof.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code rsync -a} over OpenSSH to an sshd of its own on the loopback: the command that a user would type instead. */
final class RsyncPeer implements AutoCloseable {
    private static final Path SSHD = Path.of("/usr/sbin/sshd");
    private static final long PATIENCE_MINUTES = 30;

    private final Path folder;
    private final Process server;

    private RsyncPeer(Path folder, Process server) {
        this.folder = folder;
        this.server = server;
    }

    /** Why nothing can be compared here; empty where it can. */
    static Optional<String> missing() {
        List<String> path = List.of(System.getenv().getOrDefault("PATH", "").split(":", -1));
        return Stream.of("rsync", "ssh", "ssh-keygen")
                .filter(program -> path.stream()
                        .noneMatch(place -> Files.isExecutable(Path.of(place).resolve(program))))
                .findFirst()
                .or(() -> Files.isExecutable(SSHD) ? Optional.empty() : Optional.of("sshd"))
                .map(program -> program + " is not installed (packages rsync, openssh-client, openssh-server)");
    }

    /** The first line of what rsync and ssh say of their versions. */
    static String versions() throws IOException, InterruptedException {
        return first(List.of("rsync", "--version")) + "; " + first(List.of("ssh", "-V"));
    }

    private static String first(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        process.waitFor();
        return text.lines().findFirst().orElse("").strip();
    }

    /**
     * @param folder its own, for keys and configuration
     * @param link between client and server; null for the loopback
     */
    static RsyncPeer start(Path folder, @Nullable SlowLink link) throws IOException, InterruptedException {
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
        var peer = new RsyncPeer(folder, server);
        try {
            HeadUnderTest.await("sshd answers", java.time.Duration.ofSeconds(20), () -> answers(port));
            return peer;
        } catch (IOException | InterruptedException e) {
            peer.close();
            throw e;
        }
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

    /** Makes {@code to} like {@code from} on the far side. @return seconds that it took */
    double push(Path from, Path to) throws IOException, InterruptedException {
        return rsync(name(from), "peer:" + name(to));
    }

    /** Brings the folders of each part into {@code to} on the far side, all parts at once. @return seconds that it took */
    double push(List<List<Path>> parts, Path to) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        List<Callable<Boolean>> all = new ArrayList<>();
        for (List<Path> part : parts) {
            List<String> command = new ArrayList<>(List.of("rsync", "-a", "-e", shell()));
            part.forEach(one -> command.add(one.toString()));
            command.add("peer:" + to + "/");
            all.add(() -> {
                run(command);
                return true;
            });
        }
        try (ExecutorService together = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<Boolean> one : together.invokeAll(all)) {
                one.get();
            }
        } catch (ExecutionException e) {
            throw new IOException("not all of the rsyncs went well", e);
        }
        return (System.nanoTime() - begin) / 1e9;
    }

    private String shell() {
        return "ssh -F " + folder.resolve("ssh_config");
    }

    /** Makes {@code to} like what lies at {@code from} on the far side. @return seconds that it took */
    double pull(Path from, Path to) throws IOException, InterruptedException {
        return rsync("peer:" + name(from), name(to));
    }

    private static String name(Path path) {
        return Files.isDirectory(path) ? path + "/" : path.toString();
    }

    private double rsync(String from, String to) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        run(List.of("rsync", "-a", "--delete", "-e", shell(), from, to));
        return (System.nanoTime() - begin) / 1e9;
    }

    private static void run(List<String> command) throws IOException, InterruptedException {
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
