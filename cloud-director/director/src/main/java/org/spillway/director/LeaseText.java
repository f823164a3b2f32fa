package org.spillway.director;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.spillway.director.wire.Report.GateCheck;
import org.spillway.director.wire.Report.JobReport.Phase;
import org.spillway.director.wire.Report.Notice;
import org.spillway.director.wire.Report.Results;

/**
 * A node's words with each renewal. Framed by {@link ReportFrames}; each record is words divided by single spaces, the
 * last of which may hold spaces.
 *
 * <pre>
 * ready yes|no
 * image SHA256|-
 * gate NAME ok|failed DETAIL
 * job JOB ATTEMPT PHASE EXIT|- STARTED_MILLIS ENDED_MILLIS user|node MESSAGE
 * fetched JOB ATTEMPT BYTES
 * results JOB ATTEMPT BYTES SHA256
 * taken JOB ATTEMPT
 * notice reclaim|rebalance EPOCH_SECONDS
 * </pre>
 *
 * @param notice that its provider takes it back; null for none
 * @param unread why records were left out, each with its number; the others count
 */
record LeaseText(
        boolean ready,
        String imageSha256,
        List<GateCheck> gate,
        List<Job> jobs,
        @Nullable Notice notice,
        List<String> unread) {
    static final int MAX_BYTES = 1024 * 1024;
    private static final int MAX_DETAIL = 500;
    private static final int MAX_GATE_CHECKS = 50;
    private static final int MAX_UNREAD = 10;
    private static final int MAX_EXIT_CODE = 255;

    LeaseText {
        gate = List.copyOf(gate);
        jobs = List.copyOf(jobs);
        unread = List.copyOf(unread);
    }

    /**
     * An attempt.
     *
     * @param results once the node has uploaded them
     * @param takenBack it was told to end because its machine is taken back
     * @param fetchedBytes of its input, once it has that and has said so
     */
    record Job(
            String job,
            int attempt,
            Phase phase,
            @Nullable Integer exitCode,
            long startedEpochMillis,
            long endedEpochMillis,
            boolean ranAsUser,
            String message,
            @Nullable Results results,
            boolean takenBack,
            @Nullable Long fetchedBytes) {
        Job with(@Nullable Results uploaded, boolean taken, @Nullable Long fetched) {
            return new Job(
                    job,
                    attempt,
                    phase,
                    exitCode,
                    startedEpochMillis,
                    endedEpochMillis,
                    ranAsUser,
                    message,
                    uploaded,
                    taken,
                    fetched);
        }
    }

    /** Takes all that can be read: whatever a node says, it is never no report. */
    static LeaseText parse(byte[] body) {
        Draft draft = new Draft();
        int number = 0;
        for (ReportFrames.Frame frame : ReportFrames.of(body)) {
            number++;
            switch (frame) {
                case ReportFrames.Frame.Torn(String cause) -> draft.leaveOut(number, cause);
                case ReportFrames.Frame.Whole(byte[] words) ->
                    draft.take(number, new String(words, StandardCharsets.UTF_8));
            }
        }
        return new LeaseText(draft.ready, draft.image, draft.gate, draft.jobs, draft.notice, draft.unread);
    }

    private static final class Draft {
        private boolean ready;
        private String image = "";
        private final List<GateCheck> gate = new ArrayList<>();
        private final List<Job> jobs = new ArrayList<>();
        private @Nullable Notice notice;
        private final List<String> unread = new ArrayList<>();

        void take(int number, String record) {
            String[] words = record.split(" ", 2);
            String rest = words.length > 1 ? words[1] : "";
            try {
                switch (words[0]) {
                    case "" -> {}
                    case "ready" -> ready = rest.equals("yes");
                    case "image" -> image = rest.matches("[0-9a-f]{64}") ? rest : "";
                    case "gate" -> check(rest);
                    case "job" -> jobs.add(job(rest));
                    case "results" -> results(rest);
                    case "fetched" -> fetched(rest);
                    case "taken" -> taken(rest);
                    case "notice" -> notice(rest);
                    default -> throw new IllegalArgumentException("its first word is not known");
                }
            } catch (NumberFormatException e) {
                leaveOut(number, "a number of it is none");
            } catch (IllegalArgumentException e) {
                leaveOut(number, String.valueOf(e.getMessage()));
            }
        }

        void leaveOut(int number, String cause) {
            if (unread.size() < MAX_UNREAD) {
                unread.add("record " + number + ": " + cause);
            }
        }

        private void check(String rest) {
            String[] words = rest.split(" ", 3);
            require(words.length > 1, "a check without its result");
            require(gate.size() < MAX_GATE_CHECKS, "more than " + MAX_GATE_CHECKS + " checks");
            gate.add(new GateCheck(plain(words[0]), words[1].equals("ok"), words.length > 2 ? plain(words[2]) : ""));
        }

        private static Job job(String rest) {
            String[] words = rest.split(" ", 8);
            require(words.length >= 7, "an attempt with too few words");
            require(words[0].matches("[A-Za-z0-9-]{1,64}"), "an attempt whose job has no id");
            Integer exitCode = words[3].equals("-") ? null : Integer.valueOf(words[3]);
            require(exitCode == null || (exitCode >= 0 && exitCode <= MAX_EXIT_CODE), "an exit code that is none");
            return new Job(
                    words[0],
                    natural(words[1]),
                    phase(words[2]),
                    exitCode,
                    number(words[4]),
                    number(words[5]),
                    words[6].equals("user"),
                    words.length > 7 ? plain(words[7]) : "",
                    null,
                    false,
                    null);
        }

        private static Phase phase(String word) {
            for (Phase phase : Phase.values()) {
                if (phase.name().equalsIgnoreCase(word)) {
                    return phase;
                }
            }
            throw new IllegalArgumentException("an attempt in a phase that is not known");
        }

        private void results(String rest) {
            String[] words = rest.split(" ", -1);
            require(words.length == 4 && words[3].matches("[0-9a-f]{64}"), "results without size and digest");
            Job job = before(words, "results without their job before them");
            jobs.set(
                    jobs.size() - 1,
                    job.with(new Results(number(words[2]), words[3]), job.takenBack(), job.fetchedBytes()));
        }

        private void fetched(String rest) {
            String[] words = rest.split(" ", -1);
            require(words.length == 3, "what was fetched without its size");
            Job job = before(words, "what was fetched without its job before it");
            jobs.set(jobs.size() - 1, job.with(job.results(), job.takenBack(), number(words[2])));
        }

        private void taken(String rest) {
            String[] words = rest.split(" ", -1);
            require(words.length == 2, "a job that was taken back with other than two words");
            Job job = before(words, "a job that was taken back without itself before it");
            jobs.set(jobs.size() - 1, job.with(job.results(), true, job.fetchedBytes()));
        }

        /** The job of the record before. */
        private Job before(String[] words, String otherwise) {
            Job job = jobs.isEmpty() ? null : jobs.getLast();
            if (job == null || !job.job().equals(words[0]) || job.attempt() != natural(words[1])) {
                throw new IllegalArgumentException(otherwise);
            }
            return job;
        }

        private void notice(String rest) {
            String[] words = rest.split(" ", -1);
            require(
                    words.length == 2 && (words[0].equals("reclaim") || words[0].equals("rebalance")),
                    "a notice of a kind that is not known");
            notice = new Notice(words[0].equals("reclaim"), number(words[1]));
        }

        private static int natural(String word) {
            int number = Integer.parseInt(word);
            require(number > 0, "an attempt below 1");
            return number;
        }

        private static long number(String word) {
            long value = Long.parseLong(word);
            require(value >= 0, "a number below 0");
            return value;
        }

        private static void require(boolean condition, String cause) {
            if (!condition) {
                throw new IllegalArgumentException(cause);
            }
        }
    }

    /** A node may be hostile: what it writes reaches an administrator's terminal. */
    private static String plain(String text) {
        StringBuilder shown = new StringBuilder();
        text.chars().limit(MAX_DETAIL).forEach(c -> shown.append(isPlain(c) ? (char) c : '?'));
        return shown.toString();
    }

    private static boolean isPlain(int c) {
        return !Character.isISOControl(c) && !Character.isSurrogate((char) c);
    }
}
