package org.spillway.head.workload.slurm;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What {@code scontrol -o show job} tells of one job and squeue does not. The job's owner chose some of these words, so
 * it says nothing about any other job, and nothing about who the owner is.
 *
 * @param partitions that it may run in
 * @param folder where it works
 * @param stdout absolute path
 * @param perCpu whether its memory is counted for a CPU, and not for a node
 * @param staging whether it has lines for the burst buffer
 * @param state Slurm's word, such as {@code COMPLETED}
 * @param exit of the script: its code
 * @param signal that killed it; 0 for none
 */
record JobDetail(
        long id,
        String name,
        List<String> partitions,
        String folder,
        String stdout,
        String stderr,
        boolean perCpu,
        boolean staging,
        String state,
        int restarts,
        int exit,
        int signal,
        Optional<Instant> start,
        Optional<Instant> end,
        Optional<Duration> limit) {
    private static final Pattern NEXT = Pattern.compile(" [A-Z][A-Za-z:/]{1,30}=");

    /** Of the first job in the answer; empty when there is none. */
    static Optional<JobDetail> parse(String answer) {
        int end = answer.indexOf("\nJobId=", 1);
        String line = (end < 0 ? answer : answer.substring(0, end)).strip();
        if (!line.startsWith("JobId=")) {
            return Optional.empty();
        }
        // Behind the name, which may hold anything.
        int command = line.lastIndexOf(" Command=");
        int user = line.lastIndexOf(" UserId=", command < 0 ? line.length() : command);
        String head = line.substring(Math.max(0, user));
        String[] codes = word(head, "ExitCode").split(":", 2);
        return Optional.of(new JobDetail(
                number(line.substring(6).split("\\s", 2)[0]),
                text(line, "JobName"),
                SlurmText.list(word(head, "Partition")),
                text(head, "WorkDir"),
                text(head, "StdOut"),
                text(head, "StdErr"),
                !word(head, "MinMemoryCPU").isEmpty(),
                head.contains(" BurstBuffer=") && !SlurmText.isNothing(text(head, "BurstBuffer")),
                word(head, "JobState"),
                (int) number(word(head, "Restarts")),
                (int) number(codes[0]),
                codes.length < 2 ? 0 : (int) number(codes[1]),
                time(word(head, "StartTime")),
                time(word(head, "EndTime")),
                limit(word(head, "TimeLimit"))));
    }

    /** Whether it has left its nodes, or is about to, and will not run again by itself. */
    boolean isOver(Instant now) {
        return switch (state) {
            case "PENDING", "RUNNING", "CONFIGURING", "SUSPENDED", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED" -> false;
            case "RESIZING", "SIGNALING", "SPECIAL_EXIT", "STOPPED", "RESV_DEL_HOLD", "POWER_UP_NODE" -> false;
            // One that runs again has no end yet, or one in the future (ADR 13).
            case "COMPLETING" -> end.isPresent() && !end.get().isAfter(now);
            default -> true;
        };
    }

    /** Whether somebody ended it. While its results are fetched Slurm says only that SIGTERM did, which its time limit does too. */
    boolean isCancelled() {
        if (state.equals("CANCELLED")) {
            return true;
        }
        boolean hidden = state.equals("COMPLETING") || state.equals("STAGE_OUT");
        return hidden && signal == 15 && !isOutOfTime();
    }

    private boolean isOutOfTime() {
        return start.isPresent()
                && end.isPresent()
                && limit.isPresent()
                && Duration.between(start.get(), end.get()).compareTo(limit.get()) >= 0;
    }

    /** As a shell would say it. */
    int exitCode() {
        return signal > 0 ? Math.min(255, 128 + signal) : Math.min(255, exit);
    }

    /** In a few words; empty after an end like any other. */
    String why() {
        return switch (state) {
            case "TIMEOUT" -> "its time limit was reached";
            case "NODE_FAIL" -> "a node failed";
            case "OUT_OF_MEMORY" -> "out of memory";
            case "PREEMPTED" -> "preempted";
            case "DEADLINE" -> "its deadline passed";
            case "BOOT_FAIL", "LAUNCH_FAILED" -> "it could not be started";
            default -> isOutOfTime() && signal > 0 ? "its time limit was reached" : "";
        };
    }

    private static String word(String line, String key) {
        int at = line.indexOf(" " + key + "=");
        if (at < 0) {
            return "";
        }
        int from = at + key.length() + 2;
        int to = line.indexOf(' ', from);
        return line.substring(from, to < 0 ? line.length() : to);
    }

    /** As {@link #word} of a text that may have spaces. */
    private static String text(String line, String key) {
        int at = line.indexOf(" " + key + "=");
        if (at < 0) {
            return "";
        }
        int from = at + key.length() + 2;
        var next = NEXT.matcher(line);
        return SlurmText.orEmpty(line.substring(from, next.find(from) ? next.start() : line.length())
                .strip());
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static Optional<Instant> time(String text) {
        try {
            return SlurmText.time(text);
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private static Optional<Duration> limit(String text) {
        try {
            return SlurmText.limit(text);
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
