package org.spillway.proof.bench;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.spillway.cli.HeadClient;

/**
 * The time that root waits for {@code queue} while eight users do their worst with 64 connections: headers that trickle,
 * bodies that trickle, answers that are read byte by byte, and requests without a pause, a quarter each.
 */
final class HostileBench {
    static final int USERS = 8;
    private static final int CONNECTIONS_OF_ONE = 8;
    /** Numbers that no machine gives to its people. */
    private static final int FIRST_UID = 64_101;

    private static final int JOBS = 200;
    private static final int QUESTIONS = 400;
    private static final int WARM = 100;
    private static final double TARGET_MILLIS = 100;

    private final Path launcher;

    HostileBench(Path launcher) {
        this.launcher = launcher;
    }

    /** Why nothing can be measured here; empty where it can. */
    static Optional<String> missing() {
        try {
            boolean root = Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
            return root ? Optional.empty() : Optional.of("hostile users have uids of their own: this needs root");
        } catch (IOException unknown) {
            return Optional.of("this user is not known: " + unknown.getMessage());
        }
    }

    List<Figure> measure() throws IOException, InterruptedException {
        Optional<String> reason = missing();
        if (reason.isPresent()) {
            throw new IOException(reason.get());
        }
        try (var head = HeadUnderTest.start(launcher, false, state -> {})) {
            for (int i = 0; i < JOBS; i++) {
                head.submit("#!/bin/sh\nsleep 30\n");
            }
            ask(head.client(), WARM);
            Samples quiet = ask(head.client(), QUESTIONS);
            Samples beside;
            try (var users = Users.begin(head.open())) {
                users.await();
                beside = ask(head.client(), QUESTIONS);
            }
            return figures(quiet, beside);
        }
    }

    static List<Figure> figures(Samples quiet, Samples beside) {
        String with = QUESTIONS + " times root's 'queue' of " + JOBS + " jobs, each on a connection of its own, beside "
                + USERS * CONNECTIONS_OF_ONE + " hostile connections of " + USERS + " users";
        String without = "the same without them";
        return List.of(
                Figure.plain("hostile.quiet.p50", quiet.median(), "ms", without),
                Figure.plain("hostile.quiet.p95", quiet.p95(), "ms", without),
                Figure.plain("hostile.quiet.p99", quiet.p99(), "ms", without),
                Figure.plain("hostile.p50", beside.median(), "ms", with),
                Figure.below(TARGET_MILLIS, "hostile.p95", beside.p95(), "ms", with),
                Figure.plain("hostile.p99", beside.p99(), "ms", with),
                Figure.plain("hostile.ratio.p50", beside.median() / quiet.median(), "x", "with to without"),
                Figure.plain("hostile.ratio.p95", beside.p95() / quiet.p95(), "x", "with to without"),
                Figure.plain("hostile.ratio.p99", beside.p99() / quiet.p99(), "x", "with to without"));
    }

    private static Samples ask(HeadClient client, int count) {
        List<Double> millis = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long begin = System.nanoTime();
            client.get("/jobs");
            millis.add((System.nanoTime() - begin) / 1e6);
        }
        return Samples.of(millis);
    }

    /** Processes of the users. */
    record Users(List<Process> processes) implements AutoCloseable {
        /** Begins one for each user. */
        static Users begin(Path socket) throws IOException {
            Path classes = Files.createDirectories(socket.resolveSibling("hostile/org/spillway/proof/bench"));
            try (InputStream program = HostileClient.class.getResourceAsStream("HostileClient.class")) {
                if (program == null) {
                    throw new IOException("HostileClient.class is missing: this is not a complete build");
                }
                Files.copy(program, classes.resolve("HostileClient.class"));
            }
            Users users = new Users(new ArrayList<>());
            for (int user = 0; user < USERS; user++) {
                users.processes.add(user(FIRST_UID + user, socket, socket.resolveSibling("hostile")));
            }
            return users;
        }

        private static Process user(int uid, Path socket, Path classes) throws IOException {
            var builder = new ProcessBuilder(
                    "setpriv",
                    "--reuid=" + uid,
                    "--regid=" + uid,
                    "--clear-groups",
                    System.getProperty("java.home") + "/bin/java",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-Xmx32m",
                    "-cp",
                    classes.toString(),
                    HostileClient.class.getName(),
                    socket.toString(),
                    Integer.toString(CONNECTIONS_OF_ONE));
            return builder.directory(Path.of("/").toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        }

        /** Until all have opened their connections. */
        void await() throws IOException {
            for (Process process : processes) {
                String line = String.valueOf(
                        process.inputReader(StandardCharsets.US_ASCII).readLine());
                if (!line.equals("all are open")) {
                    throw new IOException("a hostile user: " + line);
                }
            }
        }

        @Override
        public void close() {
            processes.forEach(Process::destroyForcibly);
            for (Process process : processes) {
                try {
                    process.waitFor(Duration.ofSeconds(10));
                } catch (InterruptedException stop) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }
}
