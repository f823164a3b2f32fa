package org.spillway.head.service;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.head.config.ArchiveSettings;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.journal.JournalFailure;
import org.spillway.head.journal.JournalStore;

/** Moves old jobs, nodes, clusters and decisions into the archive, some at a time, so that no start and no listing waits for the past. One thread. */
final class OldJobs {
    private static final Logger LOG = LoggerFactory.getLogger(OldJobs.class);
    /** In one go, beside other housekeeping: some thousand entries. */
    private static final int BATCHES = 20;
    /** After a failure. */
    private static final Duration PAUSE = Duration.ofMinutes(5);

    private final JournalStore store;
    private final ArchiveSettings settings;
    private final HeadConfig.Decisions decisions;
    private final InstantSource clock;
    private Instant notBefore = Instant.MIN;

    OldJobs(JournalStore store, ArchiveSettings settings, HeadConfig.Decisions decisions, InstantSource clock) {
        this.store = store;
        this.settings = settings;
        this.decisions = decisions;
        this.clock = clock;
    }

    /** @param costFrom no budget period reaches further back: what a start must read stays in the journal */
    void keep(Instant costFrom) {
        boolean isMoved = move(costFrom);
        try {
            // While some are still to be moved, none of those is too many.
            store.prune(clock.instant().minus(decisions.keptFor()), isMoved ? decisions.most() : Integer.MAX_VALUE);
        } catch (JournalFailure failure) {
            // The loop finds out by itself when nothing can be written any more.
            LOG.warn("old decisions stay in the journal: {}", failure.getMessage());
        }
    }

    /** @return false while more is to be moved; where nothing can be, what is too many is to be deleted */
    private boolean move(Instant costFrom) {
        Instant now = clock.instant();
        // A second file on a full disk would take what the journal needs for ends.
        if (now.isBefore(notBefore) || store.isShortOfRoom()) {
            return true;
        }
        Instant before = now.minus(settings.after());
        Instant priced = before.isBefore(costFrom) ? before : costFrom;
        try {
            boolean isMore = true;
            for (int i = 0; i < BATCHES && isMore && !Thread.currentThread().isInterrupted(); i++) {
                isMore = store.archive(before, priced, decisions.most()) > 0;
            }
            Instant forgotten = settings.keptFor().map(now::minus).orElse(Instant.EPOCH);
            int batches = BATCHES;
            while (batches-- > 0 && store.forgetArchived(forgotten, now.minus(decisions.keptFor())) > 0) {
                // Some at a time, as above.
            }
            return !isMore;
        } catch (JournalFailure failure) {
            notBefore = now.plus(PAUSE);
            LOG.warn("old jobs are not archived: {}", failure.getMessage());
            return true;
        }
    }
}
