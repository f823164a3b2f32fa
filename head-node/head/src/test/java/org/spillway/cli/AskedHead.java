package org.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.JobState;
import org.spillway.head.command.HeadCommands;
import org.spillway.head.config.Installed;
import org.spillway.head.rest.FakeAccounts;
import org.spillway.head.rest.FakeHead;
import org.spillway.head.rest.RestServer;
import picocli.CommandLine.Command;

/** A head in memory behind a real socket, and what commands say to it. */
abstract class AskedHead {
    static final FakeHead HEAD = new FakeHead();
    static Path socket = Path.of("");
    private static Path directory = Path.of("");
    private static RestServer server;

    final StringWriter out = new StringWriter();
    final StringWriter err = new StringWriter();
    int served;
    Installed installed = new Installed(Map.of(), Map.of(), Map.of());

    @TempDir
    Path folder;

    @Command(name = "spillway", mixinStandardHelpOptions = true)
    private static final class Root implements Runnable {
        @Override
        public void run() {
            throw new AssertionError("no command");
        }
    }

    @BeforeAll
    static void start() throws IOException {
        directory = Files.createTempDirectory("spw");
        socket = directory.resolve("s.sock");
        server = RestServer.start(socket, "600", HEAD);
    }

    /** With parts that the head was given meanwhile. */
    static void serveAgain() throws IOException {
        server.close();
        server = RestServer.start(socket, "600", HEAD);
    }

    @AfterAll
    static void stop() throws IOException {
        server.close();
        Files.deleteIfExists(socket);
        Files.delete(directory);
    }

    @BeforeEach
    void clean() {
        HEAD.jobs.clear();
        HEAD.submissions.clear();
        HEAD.logs.clear();
        HEAD.changes.clear();
        HEAD.attempt = 1;
        HEAD.outputs = FakeHead.OUTPUTS;
        HEAD.accounts = new FakeAccounts();
        HEAD.released = false;
        HEAD.stopped = false;
        HEAD.jobs.put("1", FakeHead.job("1", "train", "ada", 1001, JobState.DONE));
        HEAD.jobs.put("2", FakeHead.job("2", "sweep\u001b[2J", "ada", 1001, JobState.SUBMITTED));
    }

    /** Commands that are in no module below this test's. */
    List<CommandSource> more() {
        return List.of();
    }

    int run(String... arguments) {
        var commands = new Commands()
                .with(new HeadCommands(
                        () -> installed,
                        (config, newEpoch) -> {
                            served++;
                            return 0;
                        },
                        Map::of));
        more().forEach(commands::with);
        return commands.commandLine(new Root(), arguments)
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }

    int ask(String... arguments) {
        return run(Stream.concat(
                        Stream.of(arguments[0], "--socket", socket.toString()),
                        Stream.of(arguments).skip(1))
                .toArray(String[]::new));
    }

    /** Compares with the text that somebody last read. Written anew by {@code -Dgolden.update=true}. */
    static void golden(String name, String text) {
        try {
            if (Boolean.getBoolean("golden.update")) {
                // From the module of the proofs, too, which asks the same commands.
                Files.writeString(Path.of("../head/src/test/resources/org/spillway/cli", name), text);
                return;
            }
            try (var in = AskedHead.class.getResourceAsStream(name)) {
                assertThat(text)
                        .as(name)
                        .isEqualTo(in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8));
            }
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
