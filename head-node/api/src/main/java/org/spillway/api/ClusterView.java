package org.spillway.api;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.spillway.api.form.Describes;
import org.spillway.api.form.OneOf;
import org.spillway.policy.Money;

/** A cluster on demand. Texts are empty where there is nothing to say. */
public record ClusterView(
        @Describes("the value of the tag spillway-cluster on all that it owns")
        String id,

        String name,

        String site,

        String owner,

        @Describes("who may use it, the owner first") List<String> users,

        @OneOf({
            "WAITING_FOR_APPROVAL",
            "REQUESTED",
            "CREATING",
            "RUNNING",
            "STOPPING",
            "STOPPED",
            "STARTING",
            "DELETING",
            "DELETED",
            "FAILED",
            "REJECTED"
        })
        String state,

        @Describes("why it is in its state") String reason,

        @Describes("what it waits for, or what is wrong with it, as last seen")
        String remark,

        @Describes("when it entered its state") Instant since,

        int nodes,

        String nodeType,

        @Describes("of its head's machine") String address,

        Instant createdAt,

        Instant expiresAt,

        Money budget,

        @Describes("of its head's machine as it is now; nodes cost besides")
        Money headPricePerHour,

        @Describes("so far, with what its launches have reserved")
        Money spent,

        @Describes("those that were begun when it was made or last started, with their times")
        List<StageView> stages,

        @Describes("why it could not be made, with the stage")
        String failure,

        @Describes("the end of what the stage that failed has said")
        String log,

        @Describes("what its owner was told, oldest first") List<NoticeView> notices,

        @Describes("folder at home that results of its jobs are brought to")
        String results,

        @Describes("of its nodes") String image,

        @Describes("who gives jobs to its nodes: embedded, or the name of a workload manager of its own")
        String workload,

        @Describes("what was asked of those who approve; null where nobody had to be") @Nullable
        ApprovalView approval,

        @Describes("the reason, for programs") CauseView cause,

        @Describes("the remark, for programs") CauseView remarkCause,

        @Describes("the failure, for programs") CauseView failureCause) {
    public ClusterView {
        // An older head does not say them.
        cause = cause == null ? CauseView.NONE : cause;
        remarkCause = remarkCause == null ? CauseView.NONE : remarkCause;
        failureCause = failureCause == null ? CauseView.NONE : failureCause;
        users = List.copyOf(users);
        stages = List.copyOf(stages);
        notices = List.copyOf(notices);
    }

    /** Whether nothing more happens to it. A method of a reader, not a field. */
    @com.fasterxml.jackson.annotation.JsonIgnore
    public boolean isOver() {
        return state.equals("DELETED") || state.equals("FAILED") || state.equals("REJECTED");
    }

    /** A stage of its creation. */
    public record StageView(
            @OneOf({"head-instance", "head-install", "head-start", "nodes", "ready"})
            String stage,

            Instant begunAt,

            @Describes("null while it is under way") @Nullable
            Instant endedAt) {}

    /** Whether somebody has to agree before anything is bought. */
    @com.fasterxml.jackson.annotation.JsonIgnore
    public boolean isWaiting() {
        return state.equals("WAITING_FOR_APPROVAL");
    }

    /** The question to those who approve. */
    public record ApprovalView(
            @Describes("the limit that it is above") String why,

            Instant askedAt,

            @Describes("unanswered it is rejected then") Instant until,

            @Describes("who may agree: login names, and group NAME")
            List<String> approvers,

            @Describes("whether the caller may, now") boolean mine,

            @Describes("login name of who decided; empty before, and where nobody did")
            String by,

            @Describes("null before") @Nullable Instant decidedAt) {
        public ApprovalView {
            approvers = List.copyOf(approvers);
        }
    }

    /** Something that its owner, or somebody who approves, was told. */
    public record NoticeView(
            Instant at,

            String text,

            @OneOf({"TOLD", "WAITING", "DELAYED", "SENT", "NOT_SENT"})
            @Describes("TOLD: it stands here only; otherwise what became of the letter")
            String letter,

            @Describes("why it was not sent, or not yet") String why,

            @Describes("login name of whom it was told; empty for the owner")
            String to) {}
}
