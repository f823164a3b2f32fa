package org.spillway.director;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.spillway.director.wire.Report.GateCheck;
import org.spillway.director.wire.Report.JobReport.Phase;
import org.spillway.director.wire.Report.Results;

/**
 * A node's words with each renewal: lines of words divided by single spaces, the last of which may hold spaces.
 *
 * <pre>
 * ready yes|no
 * image SHA256|-
 * gate NAME ok|failed DETAIL
 * job JOB ATTEMPT PHASE EXIT|- STARTED_MILLIS ENDED_MILLIS user|node MESSAGE
 * results JOB ATTEMPT BYTES SHA256
 * </pre>
 */
record LeaseText(boolean ready, String imageSha256, List<GateCheck> gate, List<Job> jobs) {
    static final int MAX_BYTES = 1024 * 1024;
    private static final int MAX_DETAIL = 500;
    private static final int MAX_GATE_CHECKS = 50;

    LeaseText {
        gate = List.copyOf(gate);
        jobs = List.copyOf(jobs);
    }

    /** An attempt; {@code results} of it once the node has uploaded them. */
    record Job(
            String job,
            int attempt,
            Phase phase,
            @Nullable Integer exitCode,
            long startedEpochMillis,
            long endedEpochMillis,
            boolean ranAsUser,
            String message,
            @Nullable Results results) {
        Job with(Results uploaded) {
            return new Job(
                    job, attempt, phase, exitCode, startedEpochMillis, endedEpochMillis, ranAsUser, message, uploaded);
        }
    }

    /** @throws IllegalArgumentException if a line is none of these; the message gives its number */
    static LeaseText parse(String text) {
        boolean ready = false;
        String image = "";
        List<GateCheck> gate = new ArrayList<>();
        List<Job> jobs = new ArrayList<>();
        String[] lines = text.split("\n", -1);
        for (int i = 0; i < lines.length; i++) {
            try {
                String[] words = lines[i].split(" ", 2);
                String rest = words.length > 1 ? words[1] : "";
                switch (words[0]) {
                    case "" -> {}
                    case "ready" -> ready = rest.equals("yes");
                    case "image" -> image = rest.matches("[0-9a-f]{64}") ? rest : "";
                    case "gate" -> gate.add(check(rest));
                    case "job" -> jobs.add(job(rest));
                    case "results" -> results(rest, jobs);
                    default -> throw new IllegalArgumentException("unknown word");
                }
                if (gate.size() > MAX_GATE_CHECKS) {
                    throw new IllegalArgumentException("too many checks");
                }
            } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
                throw new IllegalArgumentException("line " + (i + 1) + " is malformed", e);
            }
        }
        return new LeaseText(ready, image, gate, jobs);
    }

    private static GateCheck check(String rest) {
        String[] words = rest.split(" ", 3);
        return new GateCheck(plain(words[0]), words[1].equals("ok"), words.length > 2 ? plain(words[2]) : "");
    }

    private static Job job(String rest) {
        String[] words = rest.split(" ", 8);
        return new Job(
                words[0],
                Integer.parseInt(words[1]),
                Phase.valueOf(words[2].toUpperCase(Locale.ROOT)),
                words[3].equals("-") ? null : Integer.valueOf(words[3]),
                Long.parseLong(words[4]),
                Long.parseLong(words[5]),
                words[6].equals("user"),
                words.length > 7 ? plain(words[7]) : "",
                null);
    }

    private static void results(String rest, List<Job> jobs) {
        String[] words = rest.split(" ", -1);
        Job job = jobs.getLast();
        if (!job.job().equals(words[0]) || job.attempt() != Integer.parseInt(words[1])) {
            throw new IllegalArgumentException("results without their job before them");
        }
        if (!words[3].matches("[0-9a-f]{64}")) {
            throw new IllegalArgumentException("not a digest");
        }
        jobs.set(jobs.size() - 1, job.with(new Results(Long.parseLong(words[2]), words[3])));
    }

    /** A node may be hostile: what it writes reaches an administrator's terminal. */
    private static String plain(String text) {
        StringBuilder shown = new StringBuilder();
        text.chars().limit(MAX_DETAIL).forEach(c -> shown.append(Character.isISOControl(c) ? '?' : (char) c));
        return shown.toString();
    }
}
