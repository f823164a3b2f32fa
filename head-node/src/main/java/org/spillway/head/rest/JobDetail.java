package org.spillway.head.rest;

import java.time.Instant;
import java.util.List;
import org.spillway.head.lifecycle.JobState;
import org.spillway.head.lifecycle.TransferState;

/**
 * All that is known about one job.
 *
 * @param timeline each state that it entered, oldest first
 * @param outputs as they were asked for, with what became of them
 * @param warnings what its user should know, such as an output that the job did not make
 */
public record JobDetail(
        JobView job,
        List<Moment> timeline,
        List<TransferView> transfers,
        List<OutputView> outputs,
        List<String> warnings) {
    public JobDetail {
        timeline = List.copyOf(timeline);
        transfers = List.copyOf(transfers);
        outputs = List.copyOf(outputs);
        warnings = List.copyOf(warnings);
    }

    /** It entered {@code state} at {@code at}, because of {@code reason}. */
    public record Moment(JobState state, Instant at, String reason) {}

    /**
     * @param direction {@code in} or {@code out}
     * @param path on the head node
     * @param movedBytes so far; equal to {@code totalBytes} at the end
     * @param sha256 hex; empty until verified
     */
    public record TransferView(
            String direction, String path, TransferState state, long movedBytes, long totalBytes, String sha256) {}

    /** @param state {@code expected}, {@code published}, {@code missing} or {@code failed} */
    public record OutputView(String path, String destination, String state) {}
}
