package org.spillway.cloud.local;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** Starts a local-cloud that outlives this process. */
final class LocalCloudStarter {
    private static final Duration START_TIME = Duration.ofSeconds(20);
    private static final long POLL_MILLIS = 20;
    private static final int CONNECT_MILLIS = 1000;
    private static final ReentrantLock STARTING = new ReentrantLock();

    private LocalCloudStarter() {}

    /** Returns when it listens. If two processes start one at the same time, the state's lock leaves one. */
    static void start(Path state, String config) throws IOException {
        STARTING.lock();
        try {
            if (listens(state)) {
                return;
            }
            Files.createDirectories(state);
            Path log = state.resolve("local-cloud.log");
            if (!Files.exists(log)) {
                Files.createFile(
                        log, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            }
            Process process = new ProcessBuilder(command(state, config))
                    .redirectInput(Path.of("/dev/null").toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            await(state, process, log);
        } finally {
            STARTING.unlock();
        }
    }

    private static List<String> command(Path state, String config) {
        List<String> command = new ArrayList<>(List.of(
                "setsid",
                Path.of(System.getProperty("java.home", ""), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC"));
        command.addAll(compilers(System.getProperty("java.vm.info", "")));
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path", ""),
                // By name: the driver knows the local-cloud by its API alone.
                "org.spillway.localcloud.LocalCloudMain",
                "--state",
                state.toString()));
        if (!config.isEmpty()) {
            command.addAll(List.of("--config", config));
        }
        return command;
    }

    /**
     * The compilers are those of the head that starts it: with the first one alone the instances' SSH servers take 6 MB/s, which is enough
     * for a test, and costs it less.
     *
     * @param jvm what this JVM says of itself
     */
    static List<String> compilers(String jvm) {
        return jvm.contains("emulated-client") ? List.of("-XX:TieredStopAtLevel=1") : List.of();
    }

    private static void await(Path state, Process process, Path log) throws IOException {
        long deadline = System.nanoTime() + START_TIME.toNanos();
        try {
            while (System.nanoTime() < deadline) {
                if (listens(state)) {
                    return;
                }
                if (process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS) && process.exitValue() != 0) {
                    // Another may have been faster.
                    if (listens(state)) {
                        return;
                    }
                    throw new IOException("it ended with " + process.exitValue() + ": " + lastLine(log));
                }
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while it started", stop);
        }
        throw new IOException("it does not answer after " + START_TIME.toSeconds() + " s, see " + log);
    }

    private static String lastLine(Path log) throws IOException {
        List<String> lines = Files.readAllLines(log);
        return lines.isEmpty() ? "see " + log : lines.getLast();
    }

    private static boolean listens(Path state) {
        try (Socket socket = new Socket()) {
            String endpoint = Files.readString(state.resolve("endpoint")).strip();
            String host = endpoint.substring(0, endpoint.indexOf(':'));
            int port = Integer.parseInt(endpoint.substring(endpoint.indexOf(':') + 1, endpoint.indexOf(' ')));
            socket.connect(new InetSocketAddress(InetAddress.ofLiteral(host), port), CONNECT_MILLIS);
            return true;
        } catch (IOException | RuntimeException notYet) {
            return false;
        }
    }
}
