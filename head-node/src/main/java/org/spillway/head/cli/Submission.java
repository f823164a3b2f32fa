package org.spillway.head.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.spillway.head.rest.JobSubmission;
import org.spillway.stage.tree.Glob;

/** Turns what the user typed into what the head is asked: text of files, absolute paths. */
final class Submission {
    private static final int MOST_SCRIPT_BYTES = 1024 * 1024;

    private Submission() {}

    /** @param script a path, or {@code -} for {@code standardInput} */
    static String script(String script, InputStream standardInput) {
        try (var in = script.equals("-") ? standardInput : Files.newInputStream(Path.of(script))) {
            var bytes = in.readNBytes(MOST_SCRIPT_BYTES + 1);
            if (bytes.length > MOST_SCRIPT_BYTES) {
                throw bad("the script is larger than 1 MiB", "put large data into an input file (--in)");
            }
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException program) {
            throw bad("the script is not text in UTF-8", "submit a script that calls the program");
        } catch (IOException unreadable) {
            throw bad("cannot read the script '" + script + "'", "name an existing file, or - for standard input");
        }
    }

    /** @param text {@code PATH} or {@code PATH=TARGET}, with globs if wanted */
    static JobSubmission.Input input(String text, Path here) {
        int equals = text.indexOf('=');
        var pattern = equals < 0 ? text : text.substring(0, equals);
        if (pattern.isEmpty()) {
            throw bad(
                    "--in: '" + text + "' names no file",
                    "write PATH or PATH=TARGET, such as data/ or 'data/*.csv=in/'");
        }
        return new JobSubmission.Input(absolute(pattern, here), equals < 0 ? "" : text.substring(equals + 1));
    }

    /** Resolved as text: what a glob is must not be looked at as a path. */
    private static String absolute(String pattern, Path here) {
        var whole = pattern.startsWith("/") ? pattern : here + "/" + pattern;
        var steps = new ArrayDeque<String>();
        for (var step : whole.split("/", -1)) {
            if (step.equals("..")) {
                steps.pollLast();
            } else if (!step.isEmpty() && !step.equals(".")) {
                steps.addLast(step);
            }
        }
        return "/" + String.join("/", steps);
    }

    /** @param text {@code PATTERN}, {@code PATTERN=DEST} or, strict, {@code PATTERN!=DEST} */
    static JobSubmission.Output output(String text, Path here) {
        int equals = text.indexOf('=');
        var name = equals < 0 ? text : text.substring(0, equals);
        boolean strict = name.endsWith("!");
        name = strict ? name.substring(0, name.length() - 1) : name;
        boolean folder = name.endsWith("/");
        var path = folder ? name.substring(0, name.length() - 1) : name;
        if (path.isEmpty()
                || path.startsWith("/")
                || List.of(path.split("/", -1)).contains("..")) {
            throw bad(
                    "--out: '" + text + "' is not a path in the job's folder",
                    "write NAME, NAME=DEST or, for a job that has failed without it, NAME!=DEST, such as out.csv");
        }
        path = path.startsWith("./") ? path.substring(2) : path;
        boolean tree = folder || !Glob.parse(path).isPlain();
        var file = path.substring(path.lastIndexOf('/') + 1);
        var wanted = equals < 0 ? "" : text.substring(equals + 1);
        var destination = absolute(wanted.isEmpty() ? "." : wanted, here);
        if (tree) {
            return new JobSubmission.Output(path, destination, true, strict);
        }
        boolean into = wanted.isEmpty() || wanted.endsWith("/") || Files.isDirectory(Path.of(destination));
        return new JobSubmission.Output(path, into ? destination + "/" + file : destination, false, strict);
    }

    static Map<String, String> environment(List<String> pairs) {
        var environment = new LinkedHashMap<String, String>();
        for (var pair : pairs) {
            int equals = pair.indexOf('=');
            if (equals < 1) {
                throw bad("--env: '" + pair + "' is not KEY=VALUE", "write for example --env STEPS=100");
            }
            environment.put(pair.substring(0, equals), pair.substring(equals + 1));
        }
        return environment;
    }

    private static CliFailure bad(String message, String hint) {
        return new CliFailure(CliFailure.BAD_INPUT, message, hint);
    }
}
