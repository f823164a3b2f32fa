package org.spillway.cli;

import java.util.List;
import java.util.Locale;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.api.JobView;
import org.spillway.api.StagedView;

/** A line that says how far a job is. */
final class Progress {
    /** A longer line would be broken by the terminal, and could not be written over. */
    private static final int MOST_CHARACTERS = 79;

    private static final int BAR = 10;
    private static final double MEGA = 1e6;

    private Progress() {}

    static String of(JobDetail detail) {
        var job = detail.job();
        var text = new StringBuilder("job " + job.id() + " " + job.state());
        var direction = job.state() == JobState.STAGING_OUT ? "out" : "in";
        if (job.state() == JobState.STAGING_IN || job.state() == JobState.STAGING_OUT) {
            long moved = 0;
            long total = 0;
            int files = 0;
            long rate = 0;
            for (var transfer : detail.transfers()) {
                moved += transfer.direction().equals(direction) ? transfer.movedBytes() : 0;
                total += transfer.direction().equals(direction) ? transfer.totalBytes() : 0;
                files += transfer.direction().equals(direction) ? transfer.files() : 0;
                // Of a gang's results one rate is that of all.
                rate = transfer.direction().equals(direction) ? Math.max(rate, transfer.bytesPerSecond()) : rate;
            }
            text.append(moved == 0 && total == 0 ? "" : " " + bytes(moved, total) + pace(files, rate, total - moved));
        }
        return line(text.append(job.reason().isEmpty() ? "" : ": " + job.reason()));
    }

    /** @param total 0 while it is not known */
    static String bytes(long moved, long total) {
        var done = String.format(Locale.ROOT, "%.1f", moved / MEGA);
        return total == 0 ? done + " MB" : done + " of " + String.format(Locale.ROOT, "%.1f MB", total / MEGA);
    }

    /** Files, rate and time left, as far as they are known. @param bytesLeft below 0 when that is not known */
    static String pace(int files, long rate, long bytesLeft) {
        var text = new StringBuilder(files == 0 ? "" : files == 1 ? ", 1 file" : ", " + files + " files");
        if (rate > 0) {
            text.append(", ").append(rate(rate));
            text.append(bytesLeft < 0 ? "" : ", " + left(Math.ceilDiv(bytesLeft, rate)) + " left");
        }
        return text.toString();
    }

    static String rate(long bytesPerSecond) {
        return String.format(Locale.ROOT, "%.1f MB/s", bytesPerSecond / MEGA);
    }

    static String left(long seconds) {
        return seconds < 120
                ? seconds + " s"
                : seconds < 7200 ? (seconds + 30) / 60 + " min" : (seconds + 1800) / 3600 + " h";
    }

    /** The same for what is brought ahead of jobs, with a bar. */
    static String of(StagedView stage) {
        var moved = stage.moved();
        var text = new StringBuilder(stage.id() + " " + stage.site() + " " + stage.state());
        if (stage.bytes() > 0) {
            text.append(' ')
                    .append(bar(moved.bytes(), stage.bytes()))
                    .append(' ')
                    .append(bytes(moved.bytes(), stage.bytes()))
                    .append(pace(stage.files(), moved.bytesPerSecond(), stage.bytes() - moved.bytes()));
        }
        return line(text.append(stage.message().isEmpty() ? "" : ": " + stage.message()));
    }

    private static String bar(long done, long all) {
        int full = (int) Math.min(BAR, BAR * done / Math.max(1, all));
        return "[" + "#".repeat(full) + ".".repeat(BAR - full) + "]";
    }

    static String of(List<JobView> tasks) {
        var text = new StringBuilder(count(tasks, JobState.DONE) + " of " + tasks.size() + " done");
        for (var state : List.of(JobState.FAILED, JobState.CANCELLED, JobState.RUNNING)) {
            long count = count(tasks, state);
            text.append(count == 0 ? "" : ", " + count + " " + state.name().toLowerCase(Locale.ROOT));
        }
        tasks.stream()
                .filter(task -> !task.state().isTerminal() && !task.reason().isEmpty())
                .findFirst()
                .ifPresent(task -> text.append(": ").append(task.reason()));
        return line(text);
    }

    private static long count(List<JobView> tasks, JobState state) {
        return tasks.stream().filter(task -> task.state() == state).count();
    }

    private static String line(CharSequence text) {
        var plain = text.toString().replaceAll("\\p{Cntrl}", "?");
        return plain.length() <= MOST_CHARACTERS ? plain : plain.substring(0, MOST_CHARACTERS - 3) + "...";
    }
}
