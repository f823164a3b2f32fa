package org.spillway.head.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.spillway.head.rest.JobSubmission;

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

    static String input(Path input, Path here) {
        var path = here.resolve(input).normalize();
        if (!Files.isRegularFile(path) || !Files.isReadable(path)) {
            throw bad("cannot read the input '" + path + "'", "--in names one file that you may read");
        }
        return path.toString();
    }

    /** @param text {@code NAME} or {@code NAME=DEST} */
    static JobSubmission.Output output(String text, Path here) {
        int equals = text.indexOf('=');
        var name = equals < 0 ? text : text.substring(0, equals);
        var path = Path.of(name).normalize();
        if (name.isEmpty()
                || path.isAbsolute()
                || path.startsWith("..")
                || path.toString().isEmpty()) {
            throw bad(
                    "--out: '" + name + "' is not a file in the job's folder",
                    "write NAME or NAME=DEST, such as out.csv");
        }
        var file = String.valueOf(path.getFileName());
        if (equals < 0) {
            return new JobSubmission.Output(
                    path.toString(), here.resolve(file).normalize().toString());
        }
        var wanted = text.substring(equals + 1);
        var destination = here.resolve(wanted).normalize();
        boolean folder = wanted.isEmpty() || wanted.endsWith("/") || Files.isDirectory(destination);
        return new JobSubmission.Output(path.toString(), (folder ? destination.resolve(file) : destination).toString());
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
