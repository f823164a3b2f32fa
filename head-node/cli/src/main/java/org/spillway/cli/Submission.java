package org.spillway.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.spillway.api.JobSubmission;
import org.spillway.api.Json;
import org.spillway.stage.tree.Glob;
import org.spillway.stage.tree.ImageName;
import org.spillway.stage.tree.Origin;

/** Turns what the user typed into what the head is asked: text of files, absolute paths. */
final class Submission {
    private static final int MOST_SCRIPT_BYTES = 1024 * 1024;
    private static final Pattern ARRAY = Pattern.compile("(?:(?<list>\\d{1,6}(?:,\\d{1,6}){0,999})"
            + "|(?<first>\\d{1,6})-(?<last>\\d{1,6})(?::(?<step>\\d{1,6}))?)(?:%(?<limit>\\d{1,6}))?");

    private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*://|urls:");

    /** Names of what a job says, among its outputs. */
    static final String STDOUT = JobSubmission.Output.STDOUT;

    static final String STDERR = JobSubmission.Output.STDERR;

    private Submission() {}

    /**
     * The request to the head.
     *
     * @param script a path, or {@code -} for standard input
     * @param options of the command line, which are stronger than the script's own
     * @param err for what is odd, but no fault
     */
    static JobSubmission of(
            String script, List<String> arguments, JobOptions options, Surroundings user, PrintWriter err) {
        return script(script, user, err).submission(options, arguments, user);
    }

    /** A script, once read. @param file its name @param own what its {@code #SPILLWAY} lines say */
    record Script(String text, String file, JobOptions own) {
        /** @param stronger options than its own */
        JobSubmission submission(JobOptions stronger, List<String> arguments, Surroundings user) {
            return own.under(stronger).submission(new JobOptions.Program(text, file, arguments), user);
        }
    }

    /** @param script a path, or {@code -} for standard input @param err for what is odd, but no fault */
    static Script script(String script, Surroundings user, PrintWriter err) {
        boolean piped = script.equals("-");
        var text = text(script, user);
        refuseJson(text, piped ? "stdin" : script);
        var own = ScriptOptions.of(text, piped ? "stdin" : script, user);
        for (int line : own.late()) {
            err.println("spillway: " + (piped ? "stdin" : script) + ":" + line
                    + ": this #SPILLWAY line is not read: it stands behind the first command");
            err.flush();
        }
        return new Script(text, piped ? "stdin" : String.valueOf(Path.of(script).getFileName()), own.options());
    }

    /** A shell would begin with its first line and fail with a message that helps nobody. */
    private static void refuseJson(String text, String name) {
        var begin = text.stripLeading();
        if (!begin.startsWith("{") && !begin.startsWith("[")) {
            return;
        }
        try {
            if (Json.tree(text.getBytes(StandardCharsets.UTF_8)).isContainerNode()) {
                throw bad(
                        name + " is JSON and no script",
                        "'spillway submit --many FILE' takes jobs, one a line; the API takes a job as JSON (POST /api/v1/jobs)");
            }
        } catch (IOException script) {
            // Braces and brackets are the shell's, too.
        }
    }

    /** @param script a path, or {@code -} for standard input */
    static String text(String script, Surroundings user) {
        try (var in = user.script(script)) {
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
        if (SCHEME.matcher(text).lookingAt()) {
            return elsewhere(text, here);
        }
        int equals = text.indexOf('=');
        var pattern = equals < 0 ? text : text.substring(0, equals);
        if (pattern.isEmpty()) {
            throw bad(
                    "--in: '" + text + "' names no file",
                    "write PATH or PATH=TARGET, such as data/ or 'data/*.csv=in/'");
        }
        return new JobSubmission.Input(absolute(pattern, here), equals < 0 ? "" : text.substring(equals + 1));
    }

    /**
     * An input that does not lie at home. In its text the last equals sign stands before the target; one with a query has
     * none.
     */
    private static JobSubmission.Input elsewhere(String text, Path here) {
        int equals = text.indexOf('?') >= 0 && !text.startsWith("urls:") ? -1 : text.lastIndexOf('=');
        var origin = equals < 0 ? text : text.substring(0, equals);
        var target = equals < 0 ? "" : text.substring(equals + 1);
        if (origin.startsWith("urls:")) {
            origin = "urls:" + absolute(origin.substring("urls:".length()), here);
        }
        try {
            Origin.of(origin);
        } catch (IllegalArgumentException unknown) {
            // Without the text: a password may stand in it.
            throw bad("--in: an input cannot be used: " + unknown.getMessage(), "write " + Origin.KNOWN);
        }
        return new JobSubmission.Input(origin, target);
    }

    /** An image, of which a path is meant from here. */
    static String image(String text, Path here) {
        if (text.equals(ImageName.NONE)) {
            return text;
        }
        int colon = text.indexOf(':') + 1;
        boolean local = text.startsWith("oci:") || text.startsWith("oci-archive:");
        var whole = local && colon < text.length()
                ? text.substring(0, colon) + absolute(text.substring(colon), here)
                : text;
        try {
            return ImageName.of(whole).text();
        } catch (IllegalArgumentException unknown) {
            throw bad("--container: '" + text + "': " + unknown.getMessage(), "write " + ImageName.KNOWN);
        }
    }

    /** Resolved as text: what a glob is must not be looked at as a path. */
    static String absolute(String pattern, Path here) {
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
    static JobSubmission.Output output(String text, Surroundings user) {
        var here = user.here();
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
        boolean tree = folder || !isPlain(path, text);
        var file = path.substring(path.lastIndexOf('/') + 1);
        var wanted = equals < 0 ? "" : text.substring(equals + 1);
        var destination = absolute(wanted.isEmpty() ? "." : wanted, here);
        if (tree) {
            // A folder comes home under its own name, as a file does.
            var named = folder && wanted.isEmpty() && isPlain(path, text) ? absolute(file, here) : destination;
            return new JobSubmission.Output(path, named, true, strict);
        }
        boolean into = wanted.isEmpty() || wanted.endsWith("/") || user.isDirectory(Path.of(destination));
        return new JobSubmission.Output(path, into ? destination + "/" + file : destination, false, strict);
    }

    private static boolean isPlain(String pattern, String text) {
        try {
            return Glob.parse(pattern).isPlain();
        } catch (IllegalArgumentException malformed) {
            throw bad("--out: '" + text + "': " + malformed.getMessage(), "put a backslash before what is no wildcard");
        }
    }

    /** Where a stream goes; empty for one that nobody wants. */
    static Optional<JobSubmission.Output> stream(String name, String text, Surroundings user) {
        return text.equals("/dev/null") ? Optional.empty() : Optional.of(output(name + "=" + text, user));
    }

    /** @param text names, separated by commas */
    static List<String> names(String option, String text) {
        var names = List.of(text.split(",", -1));
        if (names.contains("")) {
            throw bad(option + ": '" + text + "' has an empty place", "write names separated by commas, such as a,b");
        }
        return names;
    }

    /** @param text {@code FIRST-LAST[:STEP][%LIMIT]}, one index, or indices at equal distances */
    static JobSubmission.ArrayRange array(String text) {
        var match = ARRAY.matcher(text);
        if (!match.matches()) {
            throw bad(
                    "--array: '" + text + "' is not a range",
                    "write 0-9, 0-9:2 (each second), 0-9%4 (four at a time), or indices such as 1,3,5");
        }
        int limit = match.group("limit") == null ? 0 : Integer.parseInt(match.group("limit"));
        if (match.group("limit") != null && limit == 0) {
            throw bad("--array: '" + text + "' lets no task run", "write a number from 1 behind %");
        }
        if (match.group("list") != null) {
            return list(text, match.group("list"), limit);
        }
        int first = Integer.parseInt(match.group("first"));
        int last = Integer.parseInt(match.group("last"));
        int step = match.group("step") == null ? 1 : Integer.parseInt(match.group("step"));
        if (last < first || step == 0) {
            throw bad("--array: '" + text + "' is empty", "write the smaller index first, and a step from 1");
        }
        return new JobSubmission.ArrayRange(first, last, step, limit);
    }

    private static JobSubmission.ArrayRange list(String text, String indices, int limit) {
        var sorted = Stream.of(indices.split(","))
                .map(Integer::valueOf)
                .distinct()
                .sorted()
                .toList();
        int step = sorted.size() == 1 ? 1 : sorted.get(1) - sorted.getFirst();
        for (int i = 1; i < sorted.size(); i++) {
            if (sorted.get(i) - sorted.get(i - 1) != step) {
                throw bad(
                        "--array: the indices of '" + text + "' are not at equal distances",
                        "submit one array for each range");
            }
        }
        return new JobSubmission.ArrayRange(sorted.getFirst(), sorted.getLast(), step, limit);
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
