package org.spillway.api;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.Money;

/**
 * A job in a listing. Texts are empty where there is nothing to say.
 *
 * @param site where it is or will be; empty until that is decided
 * @param reason why it is in its state, for its user to read
 * @param attempt 0 before the first start
 * @param array id of the array that it is a task of; empty for none
 * @param nodes that it runs or ran on, by rank
 * @param nodeCount nodes that it asks for
 * @param exitCode of the script; null before its end and when it never ran
 * @param bytesIn of its input's bundle; 0 before it is staged
 * @param bytesOut of its results
 * @param cost so far
 * @param cause the same as {@code reason}, for programs
 */
public record JobView(
        String id,
        String array,
        String name,
        String project,
        String queue,
        String site,
        String user,
        int uid,
        JobState state,
        String reason,
        int attempt,
        List<String> nodes,
        int nodeCount,
        int cpus,
        long memoryBytes,
        int gpus,
        String gpuModel,
        long walltimeSeconds,
        int priority,
        Instant submittedAt,
        @Nullable Instant startedAt,
        @Nullable Instant endedAt,
        @Nullable Integer exitCode,
        long bytesIn,
        long bytesOut,
        Money cost,
        CauseView cause) {
    public JobView {
        // An older head does not say it.
        cause = cause == null ? CauseView.NONE : cause;
        nodes = List.copyOf(nodes);
    }
}
