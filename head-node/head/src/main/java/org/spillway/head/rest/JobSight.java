package org.spillway.head.rest;

import java.util.List;
import java.util.OptionalInt;
import java.util.function.Predicate;
import org.spillway.api.CauseView;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.api.JobView;

/**
 * Whose jobs a caller sees, and how much of them. Administrators see all, users their own. The owner of a cluster on
 * demand pays for its guests' jobs and sees what that takes: whose they are, states, resources, times and cost; what they
 * write only of guests who share a group with the owner. Nothing of this changes who may cancel. Pure.
 */
public final class JobSight {
    /** No owner: a head that is no cluster on demand. */
    public static final JobSight OWN = new JobSight(OptionalInt.empty(), guest -> false);

    private final OptionalInt owner;
    private final Predicate<String> sharesGroup;

    /**
     * @param owner uid of the cluster's owner; empty for a head that nobody has ordered
     * @param sharesGroup whether a user of that login name shares a group with the owner
     */
    public JobSight(OptionalInt owner, Predicate<String> sharesGroup) {
        this.owner = owner;
        this.sharesGroup = sharesGroup;
    }

    boolean seesAll(Caller caller) {
        return caller.admin() || isOwner(caller);
    }

    private boolean isOwner(Caller caller) {
        return owner.isPresent() && owner.getAsInt() == caller.uid();
    }

    boolean sees(Caller caller, JobView job) {
        return seesAll(caller) || isTheirs(caller, job);
    }

    /** Scripts' words, inputs, outputs and logs. */
    boolean reads(Caller caller, JobView job) {
        return mayEnd(caller, job) || (isOwner(caller) && sharesGroup.test(job.user()));
    }

    boolean mayEnd(Caller caller, JobView job) {
        return caller.admin() || isTheirs(caller, job);
    }

    private static boolean isTheirs(Caller caller, JobView job) {
        return job.uid() == caller.uid();
    }

    /** The job as this caller sees it. */
    JobView shown(Caller caller, JobView job) {
        return reads(caller, job) || isTold(job.state()) ? job : withoutReason(job);
    }

    JobDetail shown(Caller caller, JobDetail detail) {
        if (reads(caller, detail.job())) {
            return detail;
        }
        return new JobDetail(
                shown(caller, detail.job()),
                detail.timeline().stream()
                        .map(moment -> new JobDetail.Moment(
                                moment.state(), moment.at(), isTold(moment.state()) ? moment.reason() : ""))
                        .toList(),
                detail.timings(),
                detail.ranks().stream().map(JobSight::withoutWords).toList(),
                List.of(),
                List.of(),
                List.of(),
                null,
                null,
                "");
    }

    /** Why a job waits or runs names nodes, money and limits; why it ended may name its files. */
    static boolean isTold(JobState state) {
        return switch (state) {
            case SUBMITTED, HELD, STAGING_IN, QUEUED, RUNNING -> true;
            case STAGING_OUT, DONE, FAILED, CANCELLED -> false;
        };
    }

    private static JobDetail.RankView withoutWords(JobDetail.RankView rank) {
        return new JobDetail.RankView(
                rank.rank(),
                rank.node(),
                rank.address(),
                rank.startedAt(),
                rank.endedAt(),
                rank.exitCode(),
                rank.lost(),
                "",
                rank.inputBytes());
    }

    private static JobView withoutReason(JobView job) {
        return job.as(job.state(), "", CauseView.NONE);
    }
}
