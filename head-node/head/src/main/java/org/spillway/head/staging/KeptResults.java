package org.spillway.head.staging;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.link.LinkDownException;
import org.spillway.head.link.RegionPieces;

/**
 * Pieces of a job's results, which are kept in their region while these come home: a job that has them as its input is
 * not sent them again. A failure costs that and nothing else. One use each.
 */
final class KeptResults {
    private static final Logger LOG = LoggerFactory.getLogger(KeptResults.class);
    private static final Duration BETWEEN_QUESTIONS = Duration.ofMillis(100);
    /** Beyond the time that the way home takes; a question may take two seconds. */
    private static final int QUESTIONS_MOST = 20;

    private final RegionPieces region;
    private final JobRecord job;
    private final List<Integer> begun = new ArrayList<>();

    KeptResults(RegionPieces region, JobRecord job) {
        this.region = region;
        this.job = job;
    }

    void begin(int rank) {
        if (!isOver(rank)) {
            begun.add(rank);
        }
    }

    private boolean isOver(int rank) {
        try {
            return region.keepResults(job.spec().uid(), job.id(), job.run().attempt(), rank);
        } catch (LinkDownException e) {
            LOG.warn("job {}: its results are not kept in their region: {}", job.id(), e.getMessage());
            return true;
        }
    }

    /** The next job is sent what is not there by the end of this. */
    void await() {
        for (int rank : begun) {
            for (int i = 0; i < QUESTIONS_MOST && !isOver(rank); i++) {
                try {
                    Thread.sleep(BETWEEN_QUESTIONS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }
    }
}
