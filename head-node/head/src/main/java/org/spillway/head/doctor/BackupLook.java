package org.spillway.head.doctor;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.head.config.BackupSettings;
import org.spillway.head.journal.BackupFolder;
import org.spillway.head.journal.JournalFailure;

/** The backups that the configuration wants, as far as their names tell. */
final class BackupLook {
    /** For the copy itself, and a head that was stopped for a moment. */
    private static final Duration LATE = Duration.ofMinutes(30);

    private BackupLook() {}

    static List<Finding> at(BackupSettings known, ZoneId zone, Instant now) {
        try {
            Optional<Instant> latest = new BackupFolder(known.folder()).latest();
            if (latest.isEmpty()) {
                return late("there is none in " + known.folder());
            }
            String said = "the latest in " + known.folder() + " is of " + latest.get();
            return known.next(latest.get(), zone).isBefore(now.minus(LATE))
                    ? late(said)
                    : List.of(new Finding("backups", Verdict.GOOD, said, ""));
        } catch (JournalFailure unreadable) {
            return late(String.valueOf(unreadable.getMessage()));
        }
    }

    private static List<Finding> late(String found) {
        return List.of(new Finding(
                "backups",
                Verdict.WARNING,
                found,
                "start the head; where it runs, its log and 'spillway backup FILE' say what keeps it from making one"));
    }
}
