package org.spillway.image.recipe;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.spillway.image.ImageRefused;

/**
 * Programs for a tree, each in namespaces of its own; they end with this process, whatever ends it. Nothing that they mount
 * is seen outside, and all of it is gone with them.
 */
final class Inside {
    private static final Duration LONGEST = Duration.ofHours(2);
    private static final int LINES_TOLD = 15;
    /** Seconds since 1970 that programs take for the time when they write one into a file, if they ask. */
    private static final String EPOCH = "946684800";

    private Inside() {}

    /** Rights of a program in the tree. */
    enum Kind {
        /** Changes it, without a network. */
        SCRIPT,
        /** Changes it by packages, with the machine's network. */
        PACKAGES,
        /** Sees it read-only, without a network. */
        SMOKE
    }

    /** @throws ImageRefused with the last lines of what it said, if it does not end with 0 */
    static void run(Path root, Kind kind, String text, String what) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of(
                "setpriv",
                "--pdeathsig",
                "KILL",
                "unshare",
                "--mount",
                "--pid",
                "--ipc",
                "--uts",
                "--fork",
                "--kill-child"));
        if (kind != Kind.PACKAGES) {
            command.add("--net");
        }
        command.addAll(List.of(
                "sh", "-c", script(), "inside", root.toString(), kind.name().toLowerCase(Locale.ROOT), text));
        run(command, what);
    }

    /** @param what for messages: a program and where it comes from */
    static void run(List<String> command, String what) throws IOException, InterruptedException {
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")));
        builder.environment().put("SOURCE_DATE_EPOCH", EPOCH);
        builder.environment().put("LC_ALL", "C.UTF-8");
        builder.environment().put("DEBIAN_FRONTEND", "noninteractive");
        Process process;
        try {
            process = builder.start();
        } catch (IOException missing) {
            throw new ImageRefused(what + " cannot be run: " + missing.getMessage());
        }
        var last = new ArrayDeque<String>();
        Thread reader = Thread.ofVirtual().start(() -> listen(process, last));
        try {
            if (!process.waitFor(LONGEST.toSeconds(), TimeUnit.SECONDS)) {
                throw new ImageRefused(what + " had not ended after " + LONGEST.toHours() + " hours");
            }
            reader.join();
        } finally {
            process.destroyForcibly();
        }
        if (process.exitValue() != 0) {
            throw new ImageRefused(what + " ended with " + process.exitValue() + (last.isEmpty() ? "" : ":\n  ")
                    + String.join("\n  ", last));
        }
    }

    private static void listen(Process process, ArrayDeque<String> last) {
        try (var lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.ISO_8859_1))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                last.addLast(line.replaceAll("\\p{Cntrl}", "?"));
                if (last.size() > LINES_TOLD) {
                    last.removeFirst();
                }
            }
        } catch (IOException ended) {
            last.addLast("(its output could not be read: " + ended.getMessage() + ")");
        }
    }

    private static String script() throws IOException {
        try (var in = Inside.class.getResourceAsStream("inside.sh")) {
            if (in == null) {
                throw new IOException("inside.sh is missing: this is not a complete build");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
