package org.spillway.cli;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.spillway.api.JobState;
import org.spillway.api.JobView;
import org.spillway.settings.Quantities;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "queue",
        description = {
            "Lists your jobs that have not ended, newest first; root and the head's user see everybody's.",
            "Tasks of an array that wait for the same are one line, such as 43-[2-9]."
        },
        footer = {
            "",
            "Examples:",
            "  spillway queue --all --json",
            "  spillway queue --queue east --state running",
            "  spillway queue --since 7d"
        })
final class QueueCommand extends ReadingCommand {
    @Option(names = "--all", description = "Also those that have ended.")
    boolean all;

    @Option(names = "--queue", paramLabel = "NAME", description = "Only those of this queue.")
    String queue = "";

    @Option(
            names = "--state",
            paramLabel = "STATE",
            description = "Only those in this state, such as running or failed.")
    String state = "";

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description =
                    "Also those that have ended since: a time such as 2026-11-21T14:00:00Z, or so long ago (7d, 12h).")
    String since = "";

    @Option(
            names = "--until",
            paramLabel = "TIME",
            description = "Only those submitted before it; also those that have ended.")
    String until = "";

    @Option(names = "--tasks", description = "A line for each task of an array.")
    boolean tasks;

    @Override
    protected String path() {
        var wanted = wanted();
        boolean ended = all
                || !since.isEmpty()
                || !until.isEmpty()
                || wanted.filter(JobState::isTerminal).isPresent();
        var queued = queue.isEmpty() ? "" : "&queue=" + segment(queue);
        return "/jobs?ended=" + ended + queued
                + wanted.map(known -> "&state=" + known).orElse("")
                + moment("since", since)
                + moment("until", until);
    }

    private static String moment(String name, String text) {
        if (text.isEmpty()) {
            return "";
        }
        try {
            var time = text.contains("-")
                    ? Instant.parse(text)
                    : Instant.now().minus(Quantities.duration(text)).truncatedTo(ChronoUnit.SECONDS);
            return "&" + name + "=" + URLEncoder.encode(time.toString(), StandardCharsets.UTF_8);
        } catch (DateTimeException | IllegalArgumentException unclear) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    "--" + name + ": '" + text + "' is no time",
                    "write a time such as 2026-11-21T14:00:00Z, or how long ago, such as 7d or 12h");
        }
    }

    private Optional<JobState> wanted() {
        if (state.isEmpty()) {
            return Optional.empty();
        }
        var name = state.toUpperCase(Locale.ROOT).replace('-', '_');
        var known = Arrays.stream(JobState.values())
                .filter(one -> one.name().equals(name))
                .findFirst();
        if (known.isEmpty()) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    "--state: there is no state '" + state + "'",
                    "states: "
                            + Arrays.stream(JobState.values())
                                    .map(one -> one.name().toLowerCase(Locale.ROOT))
                                    .collect(Collectors.joining(", ")));
        }
        return known;
    }

    @Override
    protected String page(HeadClient head) {
        var jobs = head.list(path(), "jobs", JobView.class);
        return tasks ? pages().tasks(jobs) : pages().queue(jobs);
    }
}
