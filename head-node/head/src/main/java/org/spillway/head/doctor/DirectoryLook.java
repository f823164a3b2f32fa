package org.spillway.head.doctor;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.director.directory.DirectorySource;
import org.spillway.director.directory.DirectoryStore;
import org.spillway.director.directory.SavedDirectory;
import org.spillway.head.config.DirectorySources;
import org.spillway.head.config.HeadConfig;

/** Whether users and groups can be read now, and whether each login and each number is one account's. */
final class DirectoryLook {
    static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int MOST_TOLD = 5;
    private static final int TENTHS = 10;
    /** A server that answers late is waited for, as a head waits: it is slow, and not broken. */
    private static final int MOST_TENTHS = 6 * TENTHS;

    private static final String CHECK = "directory";

    private DirectoryLook() {}

    /** Of the directory that is configured. */
    static List<Finding> of(HeadConfig config) throws InterruptedException {
        var saved = DirectorySources.saved(config);
        try {
            return at(DirectorySources.of(config.directory()), saved, PATIENCE);
        } catch (IllegalArgumentException unusable) {
            return List.of(unread(String.valueOf(unusable.getMessage()), saved, PATIENCE));
        }
    }

    /**
     * Reads the source once and closes it.
     *
     * @param patience for one that fails; one that has neither failed nor answered whole has six times as long
     */
    static List<Finding> at(DirectorySource source, SavedDirectory saved, Duration patience)
            throws InterruptedException {
        var store = new DirectoryStore("dc=spillway");
        try (source) {
            source.start(store);
            boolean read = false;
            int tenths = 0;
            while (!read && tenths < MOST_TENTHS && (tenths < TENTHS || !source.hasFailed())) {
                read = store.await(DirectoryStore::complete, patience.dividedBy(TENTHS));
                tenths++;
            }
            if (!read) {
                return List.of(unread(source.trouble(), saved, patience));
            }
            List<Finding> findings = found(store);
            if (tenths > TENTHS) {
                findings.add(new Finding(
                        CHECK,
                        Verdict.WARNING,
                        "it answers slowly: it was read whole after more than " + patience.toSeconds() + " s",
                        "known users go on meanwhile; who is new, and every change, waits for it"));
            }
            return findings;
        }
    }

    private static Finding unread(String trouble, SavedDirectory saved, Duration patience) {
        String why = trouble.isEmpty() ? "it did not answer whole within " + patience.toSeconds() + " s" : trouble;
        return new Finding(
                CHECK,
                Verdict.BROKEN,
                "users and groups cannot be read: " + why.replaceAll("\\p{Cntrl}", "?"),
                saved.at()
                        .map(at -> "known users go on, as they were when the head last read it whole at "
                                + at.truncatedTo(ChronoUnit.SECONDS) + ": see 'directory:'")
                        .orElse("a head that runs goes on with those it has read; one that starts now knows nobody:"
                                + " see 'directory:'"));
    }

    private static List<Finding> found(DirectoryStore store) {
        List<Finding> findings = new ArrayList<>();
        int users = store.users();
        findings.add(
                users > 0
                        ? new Finding(CHECK, Verdict.GOOD, users + " users can be read", "")
                        : new Finding(
                                CHECK,
                                Verdict.WARNING,
                                "it holds no user",
                                "see 'directory:': its base, its minUid, and whether the name service enumerates"));
        for (List<String> names : store.confusions(MOST_TOLD)) {
            findings.add(new Finding(
                    "logins",
                    Verdict.WARNING,
                    "one login or one uid of several accounts, which are refused: " + String.join(" and ", names),
                    "give each its own"));
        }
        return findings;
    }
}
