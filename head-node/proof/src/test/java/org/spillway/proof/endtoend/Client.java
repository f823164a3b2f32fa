package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** A command of the command line in a process of its own, which is typed to and read. */
final class Client implements AutoCloseable {
    final Process process;
    final OutputStream keys;
    private final HeadFixture head;
    private final Path out;

    /** @param name of the file that has what it shows */
    Client(HeadFixture head, List<String> command, String name) throws IOException {
        this.head = head;
        out = head.folder().resolve(name + ".out");
        var builder = new ProcessBuilder(command)
                .directory(head.folder().toFile())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile());
        builder.environment().put("TERM", "xterm");
        process = builder.start();
        keys = process.getOutputStream();
    }

    /** A command line for that head. */
    static List<String> words(HeadFixture head, String... words) {
        var all = new ArrayList<>(Installation.shared().java("org.spillway.cli.Main"));
        all.add(words[0]);
        all.addAll(List.of("--socket", head.state().resolve("spillway.sock").toString()));
        all.addAll(Arrays.asList(words).subList(1, words.length));
        return all;
    }

    /** A command line of that head on a terminal of its own, of 30 lines of 90 columns, and what a shell does behind it. */
    static Client onTerminal(HeadFixture head, String name, String behind, String... words) throws IOException {
        assumeTrue(Files.exists(Path.of("/usr/bin/script")), "no script(1)");
        Path file = Files.writeString(
                head.folder().resolve(name + ".sh"), quoted(words(head, words)) + "\n" + behind + "\n");
        return new Client(head, List.of("script", "-qefc", "stty rows 30 cols 90; sh " + file, "/dev/null"), name);
    }

    private static String quoted(List<String> words) {
        return String.join(
                " ",
                words.stream()
                        .map(word -> "'" + word.replace("'", "'\\''") + "'")
                        .toList());
    }

    void types(String text) throws IOException {
        keys.write(text.getBytes(StandardCharsets.UTF_8));
        keys.flush();
    }

    String shown() {
        try {
            return Files.readString(out);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** Waits for it. */
    MatchResult shows(String pattern) {
        var wanted = Pattern.compile(pattern, Pattern.DOTALL);
        assertThat(Processes.eventually(
                        HeadFixture.PATIENCE, () -> wanted.matcher(shown()).find()))
                .as(() -> pattern + " in:\n" + shown() + "\n" + head.tail())
                .isTrue();
        return wanted.matcher(shown()).results().findFirst().orElseThrow();
    }

    int code() throws InterruptedException {
        assertThat(process.waitFor(HeadFixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .as(() -> shown() + "\n" + head.tail())
                .isTrue();
        return process.exitValue();
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
