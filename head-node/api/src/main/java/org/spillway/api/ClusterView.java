package org.spillway.api;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.Money;

/**
 * A cluster on demand. Texts are empty where there is nothing to say.
 *
 * @param id the value of the tag {@code spillway-cluster} on all that it owns
 * @param users who may use it, the owner first
 * @param state {@code WAITING_FOR_APPROVAL}, {@code REQUESTED}, {@code CREATING}, {@code RUNNING}, {@code STOPPING}, {@code STOPPED},
 *     {@code STARTING}, {@code DELETING}, {@code DELETED}, {@code FAILED} or {@code REJECTED}
 * @param reason why it is in its state
 * @param remark what it waits for, or what is wrong with it, as last seen
 * @param since when it entered its state
 * @param address of its head's machine
 * @param headPricePerHour of its head's machine as it is now; nodes cost besides
 * @param spent so far, with what its launches have reserved
 * @param stages those that were begun when it was made or last started, with their times
 * @param failure why it could not be made, with the stage
 * @param log the end of what the stage that failed has said
 * @param notices what its owner was told, oldest first
 * @param results folder at home that results of its jobs are brought to
 * @param image of its nodes
 * @param workload who gives jobs to nodes, {@code embedded} or {@code slurm}
 * @param approval what was asked of those who approve; null where nobody had to be
 */
public record ClusterView(
        String id,
        String name,
        String site,
        String owner,
        List<String> users,
        String state,
        String reason,
        String remark,
        Instant since,
        int nodes,
        String nodeType,
        String address,
        Instant createdAt,
        Instant expiresAt,
        Money budget,
        Money headPricePerHour,
        Money spent,
        List<StageView> stages,
        String failure,
        String log,
        List<NoticeView> notices,
        String results,
        String image,
        String workload,
        @Nullable ApprovalView approval) {
    public ClusterView {
        users = List.copyOf(users);
        stages = List.copyOf(stages);
        notices = List.copyOf(notices);
    }

    /** Whether nothing more happens to it. A method of a reader, not a field. */
    @com.fasterxml.jackson.annotation.JsonIgnore
    public boolean isOver() {
        return state.equals("DELETED") || state.equals("FAILED") || state.equals("REJECTED");
    }

    /**
     * A stage of its creation.
     *
     * @param stage such as {@code head-install}
     * @param endedAt null while it is under way
     */
    public record StageView(
            String stage, Instant begunAt, @Nullable Instant endedAt) {}

    /** Whether somebody has to agree before anything is bought. */
    @com.fasterxml.jackson.annotation.JsonIgnore
    public boolean isWaiting() {
        return state.equals("WAITING_FOR_APPROVAL");
    }

    /**
     * The question to those who approve.
     *
     * @param why the limit that it is above
     * @param until unanswered it is rejected then
     * @param approvers who may agree: login names, and {@code group NAME}
     * @param mine whether the caller may, now
     * @param by login name of who decided; empty before, and where nobody did
     * @param decidedAt null before
     */
    public record ApprovalView(
            String why,
            Instant askedAt,
            Instant until,
            List<String> approvers,
            boolean mine,
            String by,
            @Nullable Instant decidedAt) {
        public ApprovalView {
            approvers = List.copyOf(approvers);
        }
    }

    /**
     * Something that its owner, or somebody who approves, was told.
     *
     * @param letter {@code TOLD} here only, or what became of the letter: {@code WAITING}, {@code DELAYED}, {@code SENT},
     *     {@code NOT_SENT}
     * @param why it was not sent, or not yet
     * @param to login name of whom it was told; empty for the owner
     */
    public record NoticeView(Instant at, String text, String letter, String why, String to) {}
}
