package org.spillway.proof.simulate;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.spillway.cli.CliFailure;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JournalFailure;
import org.spillway.head.journal.JournalGlance;
import org.spillway.scaler.simulate.log.LogFormat;
import org.spillway.scaler.simulate.log.LoggedJob;
import org.spillway.scaler.simulate.log.WorkloadLog;

/** A head's journal as a log: jobs that ran and are over. Lengths are those of the last attempt. */
final class JournalLog {
    private JournalLog() {}

    static WorkloadLog read(Path file) {
        List<JobRecord> records;
        try {
            records = JournalGlance.endedJobs(file);
        } catch (JournalFailure unreadable) {
            throw new CliFailure(CliFailure.BAD_INPUT, String.valueOf(unreadable.getMessage()), "");
        }
        List<LoggedJob> jobs = new ArrayList<>();
        for (JobRecord record : records) {
            LoggedJob job = job(record);
            if (job != null) {
                jobs.add(job);
            }
        }
        if (jobs.isEmpty()) {
            throw new CliFailure(CliFailure.BAD_INPUT, "the journal " + file + " has no job that ran", "");
        }
        jobs.sort(Comparator.comparing(LoggedJob::submit).thenComparing(LoggedJob::id));
        return new WorkloadLog(
                String.valueOf(file.getFileName()),
                LogFormat.JOURNAL,
                jobs,
                List.of(),
                records.size() - jobs.size(),
                0,
                List.of());
    }

    /** @return null when it never ran */
    private static @Nullable LoggedJob job(JobRecord record) {
        Instant started = record.run().startedAt();
        Instant ended = record.run().endedAt();
        if (started == null || ended == null || !ended.isAfter(started)) {
            return null;
        }
        return new LoggedJob(
                record.id(),
                record.spec().submittedAt(),
                Duration.between(started, ended),
                record.spec().nodes(),
                record.spec().resources(),
                record.spec().walltime(),
                record.spec().queue(),
                record.spec().user(),
                record.spec().project(),
                record.spec().priority(),
                null);
    }
}
