package org.spillway.cli;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.spillway.api.ApiException;
import org.spillway.api.Json;
import org.spillway.api.SubmissionReader;
import org.spillway.settings.ShellWords;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/**
 * The {@code #SPILLWAY} lines of a script: options that stand at its top, before the first line that is neither blank
 * nor a comment. Each line is checked by itself, so that a mistake is told with its place.
 *
 * @param options of all lines; of what can be said once, the last line is taken
 * @param late numbers of lines that came too late to be read
 */
record ScriptOptions(JobOptions options, List<Integer> late) {
    private static final String MARK = "#SPILLWAY";

    ScriptOptions {
        late = List.copyOf(late);
    }

    /**
     * @param file shown in messages
     * @throws CliFailure with FILE:LINE, if a line has an option that is not known or says what cannot be
     */
    static ScriptOptions of(String script, String file, Surroundings user) {
        var all = new JobOptions();
        var late = new ArrayList<Integer>();
        boolean top = true;
        int number = 0;
        for (var line : (Iterable<String>) script.lines()::iterator) {
            number++;
            boolean ours = line.equals(MARK) || line.startsWith(MARK + " ") || line.startsWith(MARK + "\t");
            if (ours && top) {
                all = all.under(read(line.substring(MARK.length()), file + ":" + number, user));
            } else if (ours) {
                late.add(number);
            } else {
                top &= line.isBlank() || line.stripLeading().startsWith("#");
            }
        }
        return new ScriptOptions(all, late);
    }

    private static JobOptions read(String text, String place, Surroundings user) {
        var options = new JobOptions();
        try {
            var line = new CommandLine(options).setExpandAtFiles(false);
            line.parseArgs(ShellWords.split(text).stream()
                    .map(word -> word.startsWith("container=") ? "--" + word : word)
                    .toArray(String[]::new));
            // By the head's own rules, with a script that has no fault.
            var alone = options.submission(new JobOptions.Program("true\n", "script", List.of()), user);
            SubmissionReader.read(Json.write(alone).getBytes(StandardCharsets.UTF_8));
            return options;
        } catch (CliFailure wrong) {
            throw new CliFailure(CliFailure.BAD_INPUT, place + ": " + wrong.getMessage(), wrong.hint());
        } catch (ApiException wrong) {
            throw new CliFailure(CliFailure.BAD_INPUT, place + ": " + wrong.getMessage(), wrong.hint());
        } catch (ParameterException wrong) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    place + ": " + wrong.getMessage(),
                    "'spillway submit --help' lists the options");
        } catch (IllegalArgumentException unclosed) {
            throw new CliFailure(CliFailure.BAD_INPUT, place + ": " + unclosed.getMessage(), "");
        }
    }
}
