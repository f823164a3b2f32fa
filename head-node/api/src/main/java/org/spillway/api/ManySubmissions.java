package org.spillway.api;

import java.util.List;
import java.util.Locale;
import org.spillway.api.form.Bounds;
import org.spillway.api.form.Describes;
import org.spillway.api.form.Holds;
import org.spillway.api.form.Matches;
import org.spillway.api.form.OneOf;
import org.spillway.api.form.Usual;

/** Submissions in one request, each with its own key; {@link ManySubmissionsReader} reads them. */
public record ManySubmissions(
        @Usual("all")
        @OneOf({"check", "all", "each"})
        @Describes("check: nothing is submitted; all: only when none is refused; each: whatever is not refused")
        String mode,

        @Usual @Describes("what its caller had checked before and submits together with these")
        Ahead ahead,

        @Holds(most = MOST) @Describes("at most 1,000 jobs together, tasks of arrays counted")
        List<KeyedSubmission> submissions) {
    /** Of one request: they are written together, and nothing else is written meanwhile. */
    public static final int MOST = 1000;

    public ManySubmissions {
        submissions = List.copyOf(submissions);
    }

    public ManySubmissions(Mode mode, Ahead ahead, List<KeyedSubmission> submissions) {
        this(mode.name().toLowerCase(Locale.ROOT), ahead, submissions);
    }

    /** How a request is meant. */
    public enum Mode {
        /** Nothing is submitted. */
        CHECK,
        /** All of them, or none when one is refused. */
        ALL,
        /** Whatever is not refused. */
        EACH
    }

    /** Counts of what a request does not show; only a check heeds them. */
    public record Ahead(
            @Usual("0") @Bounds(min = 0, max = 1_000_000) @Describes("jobs, tasks of arrays counted")
            int jobs,

            @Usual("0") @Bounds(min = 0, max = 1L << 40) @Describes("of their scripts and arguments")
            long characters) {
        public static final Ahead NONE = new Ahead(0, 0);

        /** With one more. */
        public Ahead and(JobSubmission job) {
            int tasks = job.array().size();
            return new Ahead(jobs + tasks, characters + tasks * characters(job));
        }

        private static long characters(JobSubmission job) {
            return job.script().length()
                    + job.arguments().stream().mapToLong(String::length).sum();
        }
    }

    /** A submission and the key under which it may be repeated. */
    public record KeyedSubmission(
            @Matches(
                    value = "[A-Za-z0-9._:-]{1,100}",
                    allowed = "1 to 100 letters, digits, dots, dashes, colons and underscores")
            @Describes("of this caller; an equal submission under the same key answers the job that it made before")
            String key,

            JobSubmission job) {}
}
