package org.spillway.cli;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.spillway.api.Json;
import org.spillway.api.ManySubmissions.Mode;

/**
 * {@code submit --many}: what its user sees of it.
 *
 * @param file as the user named it
 * @param key of the whole file
 */
record ManyFile(String file, String key, boolean keepGoing, boolean json, PrintWriter out, PrintWriter err) {
    private static final String KEY = "[A-Za-z0-9._-]{1,80}";
    private static final int MISTAKES_SHOWN = 20;

    /** @param given by its user; null for a new one @throws CliFailure if it cannot be one */
    static String key(@Nullable String given) {
        if (given != null && !given.matches(KEY)) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    "--key: '" + given + "' is not usable",
                    "write 1 to 80 letters, digits, dots, dashes and underscores");
        }
        return given == null ? UUID.randomUUID().toString() : given;
    }

    /** @return the exit code */
    int submit(ManyLines lines, HeadClient head) {
        var many = new ManySubmit(head, lines, key);
        int all = lines.jobs().size();
        try {
            if (!keepGoing && !(many.isOneRequest() && many.mistakes().isEmpty())) {
                many.check(done -> Terminal.progress(err, "checked " + done + " of " + all));
            }
            if (keepGoing || many.mistakes().isEmpty()) {
                var shown = new int[1];
                many.submit(keepGoing ? Mode.EACH : Mode.ALL, done -> {
                    if (!json) {
                        // At once: whoever is interrupted knows what was submitted.
                        many.ids().values().stream().skip(shown[0]).forEach(id -> out.print(id + "\n"));
                        out.flush();
                        shown[0] = done;
                    }
                    Terminal.progress(err, "submitted " + done + " of " + all);
                });
            }
        } catch (CliFailure broken) {
            Terminal.progress(err, "");
            if (json) {
                show(many);
            }
            throw new CliFailure(
                    broken.exitCode(),
                    broken.getMessage() + "; " + many.ids().size() + " of " + all + " lines are submitted for certain",
                    repeat());
        }
        Terminal.progress(err, "");
        if (json) {
            show(many);
        }
        return end(many, all);
    }

    private int end(ManySubmit many, int all) {
        if (many.mistakes().isEmpty()) {
            return 0;
        }
        many.mistakes().values().stream().limit(MISTAKES_SHOWN).forEach(mistake -> {
            err.println("spillway: " + file + ":" + mistake.line() + ": " + mistake.message());
            if (!mistake.hint().isEmpty()) {
                err.println("  " + mistake.hint());
            }
        });
        int more = many.mistakes().size() - MISTAKES_SHOWN;
        if (more > 0) {
            err.println("spillway: and " + more + (more == 1 ? " more line is refused" : " more lines are refused"));
        }
        int done = many.ids().size();
        if (done == 0) {
            err.println("spillway: nothing was submitted");
        } else {
            err.println("spillway: " + done + " of " + all + " lines are submitted");
            err.println("  " + repeat());
        }
        err.flush();
        return CliFailure.BAD_INPUT;
    }

    /** Makes the rest of the jobs, and none twice. */
    private String repeat() {
        return "to submit the rest, and none twice, repeat it with --key " + key
                + ", each line where it stands (# takes one out)";
    }

    private void show(ManySubmit many) {
        var lines = new TreeSet<>(many.ids().keySet());
        lines.addAll(many.mistakes().keySet());
        var answers = lines.stream().map(line -> answer(line, many)).toList();
        var answer = new LinkedHashMap<String, Object>();
        answer.put("key", key);
        answer.put("lines", answers);
        out.print(Json.writeIndented(answer) + "\n");
        out.flush();
    }

    private static Map<String, Object> answer(int line, ManySubmit many) {
        var answer = new LinkedHashMap<String, Object>();
        answer.put("line", line);
        var id = many.ids().get(line);
        var mistake = many.mistakes().get(line);
        if (id != null) {
            answer.put("id", id);
        } else if (mistake != null) {
            var error = new LinkedHashMap<String, Object>();
            error.put("code", mistake.code().isEmpty() ? "BAD_REQUEST" : mistake.code());
            error.put("message", mistake.message());
            error.put("hint", mistake.hint());
            answer.put("error", error);
        }
        return answer;
    }
}
