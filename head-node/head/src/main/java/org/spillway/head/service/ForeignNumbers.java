package org.spillway.head.service;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.Journal;

/**
 * Jobs by the numbers that their own workload manager gave them, as its users know them: {@code 33}, and {@code 33_4} or
 * {@code 33-4} for a task of an array. Of ended jobs only the latest are looked through. Any thread.
 */
final class ForeignNumbers {
    private static final Pattern NUMBER = Pattern.compile("(\\d{1,10})(?:[_-](\\d{1,9}))?");

    private static final int LOOKED_THROUGH = 1000;

    private final Journal journal;

    ForeignNumbers(Journal journal) {
        this.journal = journal;
    }

    /** The one that was submitted last: a manager that lost its state counts from one again. */
    Optional<JobRecord> job(String number) {
        Matcher parts = NUMBER.matcher(number);
        if (!parts.matches()) {
            return Optional.empty();
        }
        String its = parts.group(2) == null ? parts.group(1) : parts.group(1) + "_" + parts.group(2);
        return of(its::equals).max(Comparator.comparing(job -> job.spec().submittedAt()));
    }

    /** The tasks of an array by index; empty when there are none of that number. */
    List<JobRecord> tasks(String number) {
        Matcher parts = NUMBER.matcher(number);
        if (!parts.matches() || parts.group(2) != null) {
            return List.of();
        }
        String its = number + "_";
        return of(known -> known.startsWith(its))
                .sorted(Comparator.comparingInt(
                        job -> Integer.parseInt(number(job).substring(its.length()))))
                .toList();
    }

    private Stream<JobRecord> of(Predicate<String> numbers) {
        List<JobRecord> live =
                journal.jobs().stream().filter(job -> numbers.test(number(job))).toList();
        return live.isEmpty()
                ? journal.store().endedJobs(OptionalInt.empty(), Instant.MIN, LOOKED_THROUGH).stream()
                        .filter(job -> numbers.test(number(job)))
                : live.stream();
    }

    /** The manager's number of a job, as its key has it; empty for one that was given to the head. */
    private static String number(JobRecord job) {
        String[] parts = job.spec().foreign().split(":", 3);
        return parts.length == 3 ? parts[1] : "";
    }
}
