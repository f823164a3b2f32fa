package org.spillway.head.loop.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.JobState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.JobCause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.loop.foreign.ForeignJobs;
import org.spillway.head.loop.state.Failing;

/**
 * Tries to bring results home and to put them in their places, and what comes of each. A failed one is made again after a pause that
 * doubles from 2 s to 5 min, for a day from the first failure; that moment is in the journal, so that a restart of the head
 * does not begin the day anew. The first failure and the end are logged, not the tries between.
 */
final class Homeward {
    private static final Logger LOG = LoggerFactory.getLogger(Homeward.class);
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(2);
    /** Shorter than what {@link org.spillway.head.loop.port.AskedCalls} remembers. */
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

    private static final Duration TRIED = Duration.ofDays(1);
    /** A head that was off for the day has not tried for a day. */
    private static final Duration TRIED_HERE = Duration.ofMinutes(10);

    private final Failing failing;

    Homeward(Failing failing) {
        this.failing = failing;
    }

    /** Until the next try of this job. */
    Duration pause(String job) {
        return pauseAfter(failing.stageOutTries(job));
    }

    /** @param failed tries in a row */
    static Duration pauseAfter(int failed) {
        Duration pause = FIRST_PAUSE.multipliedBy(1L << Math.clamp(failed - 1L, 0, 20));
        return pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
    }

    /**
     * Whether no further try is made.
     *
     * @param since the first failure, whichever head saw it
     * @param here the first failure that this head saw
     */
    static boolean isOver(Instant since, Instant here, Instant now) {
        return now.isAfter(since.plus(TRIED)) && now.isAfter(here.plus(TRIED_HERE));
    }

    /** Nothing came home, or nothing of it could be looked at. @return the job's next record */
    JobRecord failed(JobRecord job, Exception failure, Instant now) {
        String said = String.valueOf(failure.getMessage());
        JobRecord noted = noted(job, List.of(), now);
        if (!isEnded(noted, now)) {
            log(job, said);
            return noted;
        }
        LOG.warn("job {}: its results are given up: {}", job.id(), said);
        String folder = job.run().home() ? job.spec().data().folder() : "";
        // Results that never came home are lost with the site, and the job with them.
        JobState state = job.run().home() ? Results.verdict(job) : JobState.FAILED;
        return job.to(state, new JobCause.Unpublished(said, folder), now);
    }

    /** All results are home. @return the job's next record */
    JobRecord published(JobRecord job, JobRun.Published what, Instant now) {
        JobRecord noted = noted(job, what.unplaced(), now);
        boolean whole = what.unplaced().isEmpty();
        if (!whole && !isEnded(noted, now)) {
            log(job, what.unplaced().getFirst().cause().text());
            return noted;
        }
        if (!whole) {
            LOG.warn("job {}: {}", job.id(), unplaced(what).text());
        }
        JobRecord with = job.with(job.run().withPublished(what));
        return ForeignJobs.isForeign(with) ? with : with.to(Results.verdict(with), Results.cause(with), now);
    }

    private JobRecord noted(JobRecord job, List<JobRun.Unplaced> unplaced, Instant now) {
        JobRun.Homeward before = job.run().homeward();
        return job.with(job.run()
                .withHomeward(new JobRun.Homeward(before == null ? now : before.failingSince(), unplaced, false)));
    }

    private boolean isEnded(JobRecord noted, Instant now) {
        JobRun.Homeward homeward = noted.run().homeward();
        Instant here = failing.stageOutFailed(noted.id(), now);
        return homeward != null && isOver(homeward.failingSince(), here, now);
    }

    private static void log(JobRecord before, String said) {
        if (before.run().homeward() == null) {
            LOG.warn("job {}: its results are not all in their places, trying again for a day: {}", before.id(), said);
        } else {
            LOG.debug("job {}: {}", before.id(), said);
        }
    }

    static Cause unplaced(JobRun.Published published) {
        return new JobCause.OutputsUnplaced(
                published.unplaced().stream().map(JobRun.Unplaced::cause).toList(), published.kept());
    }

    /** Outputs that are not in their places when the user has enough. */
    private static List<JobRun.Unplaced> given(JobRecord job) {
        JobRun.Homeward homeward = job.run().homeward();
        return homeward != null && !homeward.unplaced().isEmpty()
                ? homeward.unplaced()
                : job.spec().outputs().stream()
                        .map(output -> new JobRun.Unplaced(
                                output.pattern(), output.destination(), JobCause.JobFact.CANCELLED_BY_USER.text()))
                        .toList();
    }

    boolean isGivenUp(JobRecord job) {
        JobRun.Homeward homeward = job.run().homeward();
        return homeward != null && homeward.givenUp();
    }

    /** The job's user has ended it. @return its next record; a foreign one waits for its manager's last word */
    JobRecord giveUp(JobRecord job, Instant now) {
        String folder = job.run().home() ? job.spec().data().folder() : "";
        return ForeignJobs.isForeign(job)
                ? job.with(job.run().withPublished(new JobRun.Published(List.of(), 0, 0, given(job), List.of())))
                : job.to(JobState.CANCELLED, new JobCause.ResultsGivenUp(folder), now);
    }
}
