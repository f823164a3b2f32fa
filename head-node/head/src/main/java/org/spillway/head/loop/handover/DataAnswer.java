package org.spillway.head.loop.handover;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobState;
import org.spillway.director.wire.Report;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.loop.foreign.ForeignJobs;
import org.spillway.head.loop.jobs.Results;

/** The head's answer to a workload manager that asks whether a job's data is where it has to be. */
public sealed interface DataAnswer {
    /** The job may go on. */
    record Ready() implements DataAnswer {}

    /** Ask again. @param sentence why; not empty */
    record Wait(String sentence) implements DataAnswer {}

    /** The data will not be there by itself. @param sentence for its user; not empty */
    record Failed(String sentence) implements DataAnswer {}

    /**
     * Whether the job's input is verified in the site where it is to run.
     *
     * @param job null when the head has not taken it over
     * @param waits why it waits, as last said; empty for nothing
     * @param heldThere whether the manager has held it since it failed: that it asks again means that its user has let it
     *     go, which the head will hear
     */
    static DataAnswer in(@Nullable JobRecord job, String waits, boolean heldThere) {
        if (job == null) {
            return new Wait("the head has not taken it over yet");
        }
        return switch (job.jobState()) {
            case SUBMITTED -> new Wait(or(waits, "the head has not looked at it yet"));
            case HELD ->
                ForeignJobs.isUnstageable(job) && !heldThere
                        ? new Failed(job.reason())
                        : new Wait(or(or(waits, job.reason()), "it is held"));
            case STAGING_IN -> new Wait(or(waits, "its input is on the way"));
            case QUEUED, RUNNING, STAGING_OUT -> new Ready();
            case DONE, FAILED, CANCELLED ->
                new Failed(job.cause().or(Adopting.ENDED_BEFORE).text());
        };
    }

    /**
     * Whether the nodes of the job's attempt are ready for it, its input included, or never will be.
     *
     * @param job null when the head has not taken it over
     * @param told of jobs by their nodes, as last heard
     */
    static DataAnswer onNodes(@Nullable JobRecord job, List<Report.JobReport> told) {
        if (job == null) {
            return new Wait("the head has not taken it over yet");
        }
        return switch (job.jobState()) {
            case SUBMITTED, HELD, STAGING_IN, QUEUED -> new Wait("its nodes have no order yet");
            case RUNNING -> {
                Set<String> ready = told.stream()
                        .filter(word -> word.job().equals(job.id())
                                && word.attempt() == job.run().attempt()
                                && word.phase() != Report.JobReport.Phase.ACCEPTED)
                        .map(Report.JobReport::node)
                        .collect(Collectors.toSet());
                List<JobRun.Rank> ranks = job.run().ranks();
                boolean refused = ranks.stream().anyMatch(JobRun.Rank::isOver);
                yield refused || ranks.stream().allMatch(rank -> ready.contains(rank.node()))
                        ? new Ready()
                        : new Wait("its input is on the way to its nodes");
            }
            case STAGING_OUT -> new Ready();
            case DONE, FAILED, CANCELLED ->
                new Failed(job.cause().or(Adopting.ENDED_BEFORE).text());
        };
    }

    /**
     * Whether all that the job has left is in its places. Before its first attempt and between two there is nothing, unless
     * its manager says that it has ended: then it is to be run again, or about to end here.
     *
     * @param job null when the head has not taken it over
     * @param ended whether its manager says so, or was not heard of it
     * @param heard whether the head has heard of the manager's jobs since it was started
     */
    static DataAnswer out(@Nullable JobRecord job, String waits, boolean ended, boolean heard) {
        if (job == null) {
            return heard ? new Ready() : new Wait("the head has just been started");
        }
        return switch (job.jobState()) {
            case SUBMITTED, HELD, STAGING_IN, QUEUED ->
                ended && job.run().attempt() > 0 ? new Wait("it is to be run again, or to end") : new Ready();
            case RUNNING -> new Wait("its nodes collect its results");
            case STAGING_OUT -> {
                if (job.run().published() == null) {
                    yield new Wait(or(waits, "its results are on the way home"));
                }
                boolean well = isInPlace(job) && (Results.verdict(job) == JobState.DONE || !isUnpublished(job));
                yield well ? new Ready() : new Failed(or(Results.cause(job).text(), "its results are lost"));
            }
            case DONE -> isInPlace(job) ? new Ready() : new Failed(job.reason());
            case FAILED, CANCELLED ->
                isUnpublished(job) ? new Failed(or(job.reason(), "its results are lost")) : new Ready();
        };
    }

    private static boolean isInPlace(JobRecord job) {
        JobRun.Published published = job.run().published();
        return published == null || published.unplaced().isEmpty();
    }

    /** The job has left something that is not in its places, or ended well and here it counts as failed. */
    private static boolean isUnpublished(JobRecord job) {
        Integer code = job.run().exitCode();
        boolean endedWell = code != null && code == 0 && !job.run().cancelled();
        return endedWell || (job.run().published() == null && job.run().hasResults());
    }

    private static String or(String text, String otherwise) {
        return text.isEmpty() ? otherwise : text;
    }
}
