package org.spillway.api;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that is known about one job.
 *
 * @param timeline each state that it entered, oldest first
 * @param timings when what happened, for a breakdown of its time
 * @param ranks its latest attempt, node by node
 * @param outputs as they were asked for, with what became of them
 * @param warnings what its user should know, such as an output that the job did not make
 */
public record JobDetail(
        JobView job,
        List<Moment> timeline,
        Timings timings,
        List<RankView> ranks,
        List<TransferView> transfers,
        List<OutputView> outputs,
        List<String> warnings) {
    public JobDetail {
        timeline = List.copyOf(timeline);
        ranks = List.copyOf(ranks);
        transfers = List.copyOf(transfers);
        outputs = List.copyOf(outputs);
        warnings = List.copyOf(warnings);
    }

    /** The job entered {@code state} at {@code at}, because of {@code reason}. */
    public record Moment(JobState state, Instant at, String reason) {}

    /**
     * Null for what has not happened.
     *
     * @param stageInBegun when it was bound to a site
     * @param nodeAsked when the last of its nodes was asked of the provider; before {@code submitted} for one that was there
     * @param nodeReady when the last of its nodes was ready
     * @param allocated when it was given to its nodes
     * @param stagedOut when its results were in their places
     */
    public record Timings(
            Instant submitted,
            @Nullable Instant stageInBegun,
            @Nullable Instant stagedIn,
            @Nullable Instant nodeAsked,
            @Nullable Instant nodeReady,
            @Nullable Instant allocated,
            @Nullable Instant started,
            @Nullable Instant ended,
            @Nullable Instant stagedOut) {}

    /** @param address of the node, for those who debug a gang */
    public record RankView(
            int rank,
            String node,
            String address,
            @Nullable Instant startedAt,
            @Nullable Instant endedAt,
            @Nullable Integer exitCode,
            boolean lost,
            String message) {}

    /**
     * @param direction {@code in} or {@code out}
     * @param what for a person
     * @param movedBytes so far; equal to {@code totalBytes} at the end
     * @param totalBytes 0 before it is known
     * @param sha256 hex; empty until verified
     */
    public record TransferView(
            String direction, String what, TransferState state, long movedBytes, long totalBytes, String sha256) {}

    /** @param state {@code expected}, {@code published}, {@code missing} or {@code failed} */
    public record OutputView(String pattern, String destination, boolean strict, String state) {}
}
