package org.spillway.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.spillway.api.JobSubmission;
import org.spillway.settings.ShellWords;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/**
 * A file of submissions: each line is what would follow {@code spillway submit}, in words as a shell makes them. Empty
 * lines and those that begin with a number sign say nothing.
 *
 * @param jobs of the lines that can be read
 * @param mistakes of the others
 */
record ManyLines(List<Job> jobs, List<Mistake> mistakes) {
    /** Bounds what a mistyped name, say of a data file, may cost. */
    private static final int MOST_BYTES = 64 * 1024 * 1024;

    private static final int MOST_LINES = 100_000;

    ManyLines {
        jobs = List.copyOf(jobs);
        mistakes = List.copyOf(mistakes);
    }

    /** @param line its number, from 1 */
    record Job(int line, JobSubmission submission) {}

    /** A line that is refused, by this program or by the head. @param code the head's; empty for this program's */
    record Mistake(int line, String code, String message, String hint) {}

    /** A line's words. */
    @Command
    private static final class Line {
        @Mixin
        JobOptions options = new JobOptions();

        @Parameters(index = "0", paramLabel = "SCRIPT")
        String script = "";

        @Parameters(index = "1..*", paramLabel = "ARGUMENT")
        List<String> arguments = List.of();
    }

    /**
     * Reads a file.
     *
     * @param common options of all lines: stronger than a script's own, weaker than a line's
     * @param err for what is odd, but no fault
     * @throws CliFailure if the file cannot be read, or has no submission
     */
    static ManyLines read(InputStream file, String name, JobOptions common, Surroundings user, PrintWriter err) {
        return new Reader(common, user, err).read(text(file, name), name);
    }

    private static String text(InputStream file, String name) {
        try (file) {
            var bytes = file.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw bad("'" + name + "' is larger than 64 MiB", "split it");
            }
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException binary) {
            throw bad("'" + name + "' is not text in UTF-8", "write a submission in each line");
        } catch (IOException unreadable) {
            throw bad("cannot read '" + name + "'", "name an existing file, or - for standard input");
        }
    }

    private static CliFailure bad(String message, String hint) {
        return new CliFailure(CliFailure.BAD_INPUT, message, hint);
    }

    private static final class Reader {
        private final JobOptions common;
        private final Surroundings user;
        private final PrintWriter err;
        /** A file of a thousand lines names a script or two. */
        private final Map<String, Submission.Script> scripts = new HashMap<>();

        private final Line line = new Line();
        private final CommandLine parser =
                new CommandLine(line).setExpandAtFiles(false).setStopAtPositional(true);

        Reader(JobOptions common, Surroundings user, PrintWriter err) {
            this.common = common;
            this.user = user;
            this.err = err;
        }

        ManyLines read(String text, String name) {
            var jobs = new ArrayList<Job>();
            var mistakes = new ArrayList<Mistake>();
            int number = 0;
            for (var one : (Iterable<String>) text.lines()::iterator) {
                number++;
                if (number > MOST_LINES) {
                    throw bad("'" + name + "' has more than " + MOST_LINES + " lines", "split it");
                }
                try {
                    var words = ShellWords.split(one);
                    if (!words.isEmpty()) {
                        jobs.add(new Job(number, submission(words)));
                    }
                } catch (CliFailure wrong) {
                    mistakes.add(new Mistake(number, "", String.valueOf(wrong.getMessage()), wrong.hint()));
                } catch (ParameterException wrong) {
                    mistakes.add(new Mistake(
                            number,
                            "",
                            String.valueOf(wrong.getMessage()),
                            "write what would follow 'spillway submit': options, the script, its arguments"));
                } catch (IllegalArgumentException unclosed) {
                    mistakes.add(new Mistake(number, "", String.valueOf(unclosed.getMessage()), ""));
                }
            }
            if (jobs.isEmpty() && mistakes.isEmpty()) {
                throw bad("'" + name + "' has no submission", "write one in each line");
            }
            return new ManyLines(jobs, mistakes);
        }

        private JobSubmission submission(List<String> words) {
            parser.parseArgs(words.toArray(String[]::new));
            if (line.script.equals("-")) {
                throw bad("a line cannot have its script on standard input", "name a file");
            }
            var script = scripts.computeIfAbsent(line.script, path -> Submission.script(path, user, err));
            return script.submission(common.under(line.options), line.arguments, user);
        }
    }
}
