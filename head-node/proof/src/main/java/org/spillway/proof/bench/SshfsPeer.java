package org.spillway.proof.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A folder of home mounted by sshfs over OpenSSH, behind the same line: what a user would mount by hand. */
final class SshfsPeer implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final OwnSshd server;
    private final Process mount;
    private final Path at;

    private SshfsPeer(OwnSshd server, Process mount, Path at) {
        this.server = server;
        this.mount = mount;
        this.at = at;
    }

    /** Why nothing can be compared here; empty where it can. */
    static Optional<String> missing() {
        return OwnSshd.missing("sshfs")
                .map(program -> program + " is not installed (packages sshfs, openssh-client, openssh-server)");
    }

    /** The first line of what sshfs and ssh say of their versions. */
    static String versions() throws IOException, InterruptedException {
        return OwnSshd.said("sshfs", "--version") + "; " + OwnSshd.said("ssh", "-V");
    }

    /**
     * @param home the folder that is mounted
     * @param folder for keys, configuration and the mount
     * @param link between client and server; null for the loopback
     */
    static SshfsPeer start(Path home, Path folder, @Nullable SlowLink link) throws IOException, InterruptedException {
        OwnSshd server = OwnSshd.start(folder, link);
        Path at = Files.createDirectories(folder.resolve("mount"));
        Process mount = new ProcessBuilder(
                        "sshfs", "-f", "-F", server.configuration().toString(), "peer:" + home, at.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("sshfs.log").toFile())
                .start();
        var peer = new SshfsPeer(server, mount, at);
        try {
            HeadUnderTest.await("sshfs mounts", PATIENCE, () -> isMounted(at));
            return peer;
        } catch (IOException | InterruptedException e) {
            peer.close();
            throw e;
        }
    }

    private static boolean isMounted(Path at) {
        try {
            return Files.readString(Path.of("/proc/self/mounts"), StandardCharsets.UTF_8)
                    .contains(" " + at + " fuse.sshfs ");
        } catch (IOException never) {
            return false;
        }
    }

    /** Runs a shell's line in the mounted folder. @return seconds that it took */
    double run(String line) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        OwnSshd.run(List.of("sh", "-c", "cd \"$0\" && " + line, at.toString()));
        return (System.nanoTime() - begin) / 1e9;
    }

    @Override
    public void close() throws IOException {
        try (server) {
            if (isMounted(at)) {
                OwnSshd.run(List.of("umount", "-l", at.toString()));
            }
            mount.destroyForcibly();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }
}
