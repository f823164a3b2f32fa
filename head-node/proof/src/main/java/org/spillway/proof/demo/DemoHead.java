package org.spillway.proof.demo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.spillway.api.HealthView;
import org.spillway.cli.CliFailure;
import org.spillway.cli.HeadClient;

/** The demo's head: a process of its own, started as an administrator would, and asked as everybody asks it. */
final class DemoHead {
    private static final Duration STOP = Duration.ofSeconds(5);
    private static final long LOOK_MILLIS = 50;
    private static final int LOG_LINES = 25;

    private final Path launcher;
    private final DemoFiles files;
    private final HeadClient client;
    /** How long it may take to come up, and a call is repeated while no head answers. */
    private final Duration patience;

    private volatile @Nullable Process process;

    DemoHead(Path launcher, DemoFiles files, Duration patience) {
        this.patience = patience;
        this.launcher = launcher;
        this.files = files;
        this.client = new HeadClient(files.socket());
    }

    /** Begins to start one, which writes its log to a file; in a session of its own, so that Ctrl-C is not for it. */
    void begin() throws IOException {
        var builder = new ProcessBuilder(
                        "setsid",
                        launcher.toString(),
                        "serve",
                        "--config",
                        files.config().toString())
                .directory(files.folder().toFile())
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(files.headLog().toFile()));
        builder.environment().put("SPILLWAY_NO_BUILD", "1");
        // The demo's head lives for a minute: the optimizing compiler would take more of it than it gives back.
        String options = System.getenv().getOrDefault("SPILLWAY_JAVA_OPTS", "");
        builder.environment().put("SPILLWAY_JAVA_OPTS", "-XX:TieredStopAtLevel=1 " + options);
        process = builder.start();
    }

    /** @throws IOException if it does not come up; its log says why */
    void awaitUp() throws IOException, InterruptedException {
        long begin = System.nanoTime();
        while (!answers()) {
            if (!isAlive() || System.nanoTime() - begin > patience.toNanos()) {
                throw new IOException("the head does not come up");
            }
            Thread.sleep(LOOK_MILLIS);
        }
    }

    boolean isAlive() {
        Process running = process;
        return running != null && running.isAlive();
    }

    private boolean answers() {
        Process running = process;
        try {
            return running != null && client.get("/health", HealthView.class).pid() == running.pid();
        } catch (CliFailure notYet) {
            return false;
        }
    }

    /** A user's question; asked again when no head answers, for it may be on its way back. */
    <T> T ask(Function<HeadClient, T> question) throws InterruptedException {
        long begin = System.nanoTime();
        while (true) {
            try {
                return question.apply(client);
            } catch (CliFailure failure) {
                boolean late = System.nanoTime() - begin > patience.toNanos();
                if (failure.exitCode() != CliFailure.NOT_REACHED || late) {
                    throw failure;
                }
            }
            Thread.sleep(LOOK_MILLIS);
        }
    }

    /** kill -9. */
    void kill() throws InterruptedException {
        Process running = process;
        if (running != null) {
            running.destroyForcibly().waitFor();
        }
    }

    /** Asks it to end, and ends it if it does not. */
    void end() throws InterruptedException {
        Process running = process;
        if (running == null) {
            return;
        }
        running.destroy();
        if (!running.waitFor(STOP.toSeconds(), TimeUnit.SECONDS)) {
            running.destroyForcibly().waitFor();
        }
    }

    String logEnd() {
        try {
            List<String> lines = Files.readString(files.headLog(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
        } catch (IOException unreadable) {
            return "(no log: " + unreadable.getMessage() + ")";
        }
    }
}
