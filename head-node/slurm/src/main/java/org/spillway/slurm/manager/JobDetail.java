package org.spillway.slurm.manager;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The details that {@code scontrol -o show job} tells of one job and squeue does not. The job's owner chose some of
 * these words, so it says nothing about any other job, and nothing about who the owner is. Names, accounts and paths
 * may hold what looks like fields: an answer in which one of the fields stands twice is not clear, and says nothing at
 * all.
 *
 * @param clear whether it is known what Slurm said; if not, all but the id is without meaning
 * @param array number of its array; its own when it is in none
 * @param throttle how many tasks of its array may run at once, if limited
 * @param partitions that it may run in
 * @param cancelled whether Slurm has said that somebody ended it, where its state hides that
 */
record JobDetail(
        long id,
        long array,
        boolean clear,
        Optional<Integer> throttle,
        String name,
        List<String> partitions,
        Files files,
        Asked asked,
        Run run,
        Optional<Boolean> cancelled) {
    /**
     * @param folder where it works
     * @param stdout absolute path
     * @param adds whether it adds to what these have
     */
    record Files(String folder, String stdout, String stderr, boolean adds) {}

    /**
     * @param perCpu whether its memory is counted for a CPU, and not for a node
     * @param staging whether it has lines for the burst buffer
     * @param excluded Slurm's host list of nodes that it must not have; empty for none
     * @param deadline when it is to be over
     * @param adds whether it adds to its files of output, where the filter has said so
     */
    record Asked(
            boolean perCpu,
            boolean staging,
            String excluded,
            Optional<Duration> limit,
            Optional<Instant> deadline,
            Optional<Boolean> adds) {}

    /**
     * The present or last run.
     *
     * @param state Slurm's word, such as {@code COMPLETED}
     * @param nodes Slurm's host list of those that it had; empty for none
     * @param exit of the script: its code
     * @param signal that killed it; 0 for none
     */
    record Run(
            String state,
            String nodes,
            int restarts,
            int exit,
            int signal,
            Optional<Instant> start,
            Optional<Instant> end) {}

    private static final Pattern NEXT = Pattern.compile(" [A-Z][A-Za-z:/]{1,30}=");

    private static final List<String> ONCE = List.of(
            "UserId", "JobState", "Restarts", "ExitCode", "StartTime", "EndTime", "TimeLimit", "Partition", "WorkDir");
    private static final List<String> AT_MOST_ONCE = List.of("StdOut", "StdErr", "BurstBuffer");

    /** Of the job that was asked for; empty when the answer has other jobs only, or none. @param asked digits, or {@code ARRAY_TASK} */
    static Optional<JobDetail> parse(String asked, String answer) {
        if (!answer.startsWith("JobId=")) {
            return Optional.empty();
        }
        // Asked for an array's number, Slurm tells all of its tasks.
        List<String> its = Arrays.stream(answer.split("\n(?=JobId=)"))
                .filter(job -> isOf(asked, job))
                .toList();
        return its.isEmpty()
                ? Optional.empty()
                : Optional.of(read(its.getFirst().strip(), its.size() == 1));
    }

    private static boolean isOf(String asked, String job) {
        int at = asked.indexOf('_');
        if (at < 0) {
            return (job.strip() + " ").startsWith("JobId=" + asked + " ");
        }
        String numbers = numbers(job);
        return word(numbers, "ArrayJobId").equals(asked.substring(0, at))
                && SlurmText.arrayIndices(word(numbers, "ArrayTaskId"), Integer.MAX_VALUE)
                        .contains(Integer.parseInt(asked.substring(at + 1)));
    }

    /** The part before its name, with which its owner's words begin. */
    private static String numbers(String job) {
        int name = job.indexOf(" JobName=");
        return name < 0 ? job : job.substring(0, name);
    }

    private static JobDetail read(String line, boolean alone) {
        boolean clear = alone
                && ONCE.stream().allMatch(key -> count(line, key) == 1)
                && AT_MOST_ONCE.stream().allMatch(key -> count(line, key) <= 1)
                && count(line, "MinMemoryCPU") + count(line, "MinMemoryNode") <= 1;
        String numbers = numbers(line);
        int throttle = (int) number(word(numbers, "ArrayTaskThrottle"));
        String[] codes = word(line, "ExitCode").split(":", 2);
        long id = number(numbers.substring(6).split("\\s", 2)[0]);
        long array = number(word(numbers, "ArrayJobId"));
        return new JobDetail(
                id,
                array > 0 ? array : id,
                clear,
                throttle > 0 ? Optional.of(throttle) : Optional.empty(),
                text(line, "JobName"),
                SlurmText.list(word(line, "Partition")),
                new Files(text(line, "WorkDir"), text(line, "StdOut"), text(line, "StdErr"), false),
                new Asked(
                        count(line, "MinMemoryCPU") > 0,
                        !SlurmText.isNothing(text(line, "BurstBuffer")),
                        SlurmText.orEmpty(word(line, "ExcNodeList")),
                        limit(word(line, "TimeLimit")),
                        count(line, "Deadline") == 1 ? time(word(line, "Deadline")) : Optional.empty(),
                        count(line, "Extra") == 1 ? OpenModes.said(word(line, "Extra")) : Optional.empty()),
                new Run(
                        word(line, "JobState"),
                        // The owner's words may look like it: then nobody knows.
                        count(line, "NodeList") == 1 ? SlurmText.orEmpty(word(line, "NodeList")) : "",
                        (int) number(word(line, "Restarts")),
                        (int) number(codes[0]),
                        codes.length < 2 ? 0 : (int) number(codes[1]),
                        time(word(line, "StartTime")),
                        time(word(line, "EndTime"))),
                Optional.empty());
    }

    private static int count(String line, String key) {
        String field = " " + key + "=";
        int count = 0;
        for (int at = line.indexOf(field); at >= 0; at = line.indexOf(field, at + 1)) {
            count++;
        }
        return count;
    }

    /** Whether it has left its nodes, or is about to, and will not run again by itself. */
    boolean isOver(Instant now) {
        return switch (run.state) {
            case "PENDING", "RUNNING", "CONFIGURING", "SUSPENDED", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED" -> false;
            case "RESIZING", "SIGNALING", "SPECIAL_EXIT", "STOPPED", "RESV_DEL_HOLD", "POWER_UP_NODE" -> false;
            // A job that runs again has no end yet, or one in the future (ADR 13).
            case "COMPLETING" -> run.end.isPresent() && !run.end.get().isAfter(now);
            default -> true;
        };
    }

    boolean isRunning() {
        return run.state.equals("RUNNING") || run.state.equals("CONFIGURING") || run.state.equals("SUSPENDED");
    }

    /** Whether somebody ended it. */
    boolean isCancelled() {
        return run.state.equals("CANCELLED") || cancelled.orElse(isUnclear());
    }

    /**
     * While its results are fetched Slurm shows only that SIGTERM ended it: so does a user's scancel, and so does a machine
     * that is shut down under a job.
     */
    boolean isUnclear() {
        boolean hidden = run.state.equals("COMPLETING") || run.state.equals("STAGE_OUT");
        return cancelled.isEmpty() && clear && hidden && run.signal == 15 && !isOutOfTime();
    }

    JobDetail with(boolean isCancelled) {
        return new JobDetail(id, array, clear, throttle, name, partitions, files, asked, run, Optional.of(isCancelled));
    }

    JobDetail adding(boolean adds) {
        Files its = new Files(files.folder, files.stdout, files.stderr, adds);
        return new JobDetail(id, array, clear, throttle, name, partitions, its, asked, run, cancelled);
    }

    private boolean isOutOfTime() {
        return run.start.isPresent()
                && run.end.isPresent()
                && asked.limit.isPresent()
                && Duration.between(run.start.get(), run.end.get()).compareTo(asked.limit.get()) >= 0;
    }

    /** As a shell would say it. */
    int exitCode() {
        return run.signal > 0 ? Math.min(255, 128 + run.signal) : Math.min(255, run.exit);
    }

    /** In a few words; empty after an end like any other. */
    String why() {
        return switch (run.state) {
            case "TIMEOUT" -> "its time limit was reached";
            case "NODE_FAIL" -> "a node failed";
            case "OUT_OF_MEMORY" -> "out of memory";
            case "PREEMPTED" -> "preempted";
            case "DEADLINE" -> "its deadline passed";
            case "BOOT_FAIL", "LAUNCH_FAILED" -> "it could not be started";
            default -> isOutOfTime() && run.signal > 0 ? "its time limit was reached" : "";
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
