package org.spillway.proof.simulate;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.spillway.cli.CliFailure;
import org.spillway.scaler.simulate.log.BrokenLog;
import org.spillway.scaler.simulate.log.LogFile;
import org.spillway.scaler.simulate.log.LogFormat;
import org.spillway.scaler.simulate.log.LoggedJob;
import org.spillway.scaler.simulate.log.WorkloadLog;
import picocli.CommandLine.Option;

/** Which log, and which part of it. */
final class LogOptions {
    @Option(
            names = "--log",
            paramLabel = "FILE",
            required = true,
            description =
                    "Standard Workload Format, output of 'sacct -P', Philly CSV (each also .gz, the first also .tar.gz with"
                            + " its .machines), or a head's journal.")
    Path log = Path.of("");

    @Option(
            names = "--format",
            paramLabel = "KIND",
            description = "swf, sacct, philly or journal; default: as its content looks.")
    @Nullable
    String format;

    @Option(names = "--lenient", description = "Skip lines that cannot be read, and count them.")
    boolean lenient;

    @Option(
            names = "--from",
            paramLabel = "TIME",
            description = "Only jobs submitted then or later, such as 2017-10-01.")
    @Nullable
    String from;

    @Option(names = "--to", paramLabel = "TIME", description = "Only jobs submitted before that.")
    @Nullable
    String to;

    @Option(names = "--half", paramLabel = "HALF", description = "first or second half of the log's time.")
    @Nullable
    String half;

    @Option(
            names = "--deadline",
            paramLabel = "TIME",
            description = "Each job without one is due so long after its submission, such as 24h.")
    @Nullable
    String deadline;

    /** @throws CliFailure with exit code 2 when it cannot be used; broken lines are printed first */
    WorkloadLog read(PrintWriter err) {
        if (!Files.isReadable(log) || Files.isDirectory(log)) {
            throw bad("the log " + log + " cannot be read", "name a file that is there");
        }
        try {
            LogFormat as = format == null ? null : formatOf(format);
            var file = new LogFile(log);
            if (as == null) {
                as = file.format().orElse(null);
            }
            return as == LogFormat.JOURNAL ? JournalLog.read(log) : file.read(as, lenient);
        } catch (BrokenLog broken) {
            broken.lines().forEach(err::println);
            err.flush();
            throw bad(
                    String.valueOf(broken.getMessage()),
                    broken.isSkippable() ? "--lenient skips them and counts them" : "");
        } catch (IOException unreadable) {
            throw bad("the log " + log + " cannot be read: " + unreadable.getMessage(), "");
        }
    }

    private static LogFormat formatOf(String text) {
        for (LogFormat one : LogFormat.values()) {
            if (one.text().equals(text.toLowerCase(Locale.ROOT))) {
                return one;
            }
        }
        throw bad("--format is '" + text + "'", "allowed: swf, sacct, philly, journal");
    }

    /** The part of the log that is asked for, with deadlines. */
    List<LoggedJob> part(WorkloadLog whole) {
        Instant first = whole.jobs().getFirst().submit();
        Instant last = whole.jobs().getLast().submit();
        Instant middle = first.plus(Duration.between(first, last).dividedBy(2));
        Instant begin = from == null ? Instant.MIN : time("--from", from);
        Instant end = to == null ? Instant.MAX : time("--to", to);
        if (half != null) {
            switch (half) {
                case "first" -> end = middle.isBefore(end) ? middle : end;
                case "second" -> begin = middle.isAfter(begin) ? middle : begin;
                default -> throw bad("--half is '" + half + "'", "allowed: first, second");
            }
        }
        Instant since = begin;
        Instant until = end;
        Duration due = deadline == null ? null : Times.duration("--deadline", deadline);
        List<LoggedJob> part = whole.jobs().stream()
                .filter(job -> !job.submit().isBefore(since) && job.submit().isBefore(until))
                .map(job -> due == null || job.deadline() != null
                        ? job
                        : job.due(job.submit().plus(due)))
                .toList();
        if (part.isEmpty()) {
            throw bad("no job of the log was submitted in that time", "it reaches from " + first + " to " + last);
        }
        return part;
    }

    private static Instant time(String option, String text) {
        try {
            return text.indexOf('T') < 0
                    ? LocalDate.parse(text).atStartOfDay().toInstant(ZoneOffset.UTC)
                    : text.endsWith("Z")
                            ? Instant.parse(text)
                            : LocalDateTime.parse(text).toInstant(ZoneOffset.UTC);
        } catch (DateTimeParseException unreadable) {
            throw bad(option + " is '" + text + "'", "write 2017-10-01 or 2017-10-01T12:00:00 (UTC)");
        }
    }

    private static CliFailure bad(String message, String hint) {
        return new CliFailure(CliFailure.BAD_INPUT, message, hint);
    }
}
