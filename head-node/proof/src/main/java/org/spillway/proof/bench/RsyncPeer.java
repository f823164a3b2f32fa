package org.spillway.proof.bench;

import java.io.IOException;
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
import org.jspecify.annotations.Nullable;

/** {@code rsync -a} over OpenSSH to an sshd of its own on the loopback: the command that a user would type instead. */
final class RsyncPeer implements AutoCloseable {
    private final OwnSshd server;

    private RsyncPeer(OwnSshd server) {
        this.server = server;
    }

    /** Why nothing can be compared here; empty where it can. */
    static Optional<String> missing() {
        return OwnSshd.missing("rsync")
                .map(program -> program + " is not installed (packages rsync, openssh-client, openssh-server)");
    }

    /** The first line of what rsync and ssh say of their versions. */
    static String versions() throws IOException, InterruptedException {
        return OwnSshd.said("rsync", "--version") + "; " + OwnSshd.said("ssh", "-V");
    }

    /**
     * @param folder its own, for keys and configuration
     * @param link between client and server; null for the loopback
     */
    static RsyncPeer start(Path folder, @Nullable SlowLink link) throws IOException, InterruptedException {
        return new RsyncPeer(OwnSshd.start(folder, link));
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
                OwnSshd.run(command);
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

    /** Makes {@code to} like what lies at {@code from} on the far side. @return seconds that it took */
    double pull(Path from, Path to) throws IOException, InterruptedException {
        return rsync("peer:" + name(from), name(to));
    }

    private String shell() {
        return "ssh -F " + server.configuration();
    }

    private static String name(Path path) {
        return Files.isDirectory(path) ? path + "/" : path.toString();
    }

    private double rsync(String from, String to) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        OwnSshd.run(List.of("rsync", "-a", "--delete", "-e", shell(), from, to));
        return (System.nanoTime() - begin) / 1e9;
    }

    @Override
    public void close() {
        server.close();
    }
}
