package org.spillway.head.service;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.head.config.ArchiveSettings;
import org.spillway.head.journal.JournalFailure;
import org.spillway.head.journal.JournalStore;

/** Moves old jobs and nodes into the archive, some at a time, so that no start and no listing waits for the past. One thread. */
final class OldJobs {
    private static final Logger LOG = LoggerFactory.getLogger(OldJobs.class);
    /** In one go, beside other housekeeping: some thousand entries. */
    private static final int BATCHES = 20;
    /** After a failure. */
    private static final Duration PAUSE = Duration.ofMinutes(5);

    private final JournalStore store;
    private final ArchiveSettings settings;
    private final InstantSource clock;
    private Instant notBefore = Instant.MIN;

    OldJobs(JournalStore store, ArchiveSettings settings, InstantSource clock) {
        this.store = store;
        this.settings = settings;
        this.clock = clock;
    }

    /** @param costFrom no budget period reaches further back: what a start must read stays in the journal */
    void keep(Instant costFrom) {
        Instant now = clock.instant();
        // A second file on a full disk would take what the journal needs for ends.
        if (now.isBefore(notBefore) || store.isShortOfRoom()) {
            return;
        }
        Instant before = now.minus(settings.after());
        Instant priced = before.isBefore(costFrom) ? before : costFrom;
        try {
            boolean isMore = true;
            for (int i = 0; i < BATCHES && isMore && !Thread.currentThread().isInterrupted(); i++) {
                isMore = store.archive(before, priced) > 0;
            }
            settings.keptFor().ifPresent(time -> {
                int batches = BATCHES;
                while (batches-- > 0 && store.forgetArchived(now.minus(time)) > 0) {
                    // Some at a time, as above.
                }
            });
        } catch (JournalFailure failure) {
            notBefore = now.plus(PAUSE);
            LOG.warn("old jobs are not archived: {}", failure.getMessage());
        }
    }
}
