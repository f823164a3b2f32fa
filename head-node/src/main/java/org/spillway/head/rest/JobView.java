package org.spillway.head.rest;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.spillway.head.lifecycle.JobState;
import org.spillway.policy.Money;

/**
 * A job in a listing. Texts are empty where there is nothing to say.
 *
 * @param site where it is or will be; empty until that is decided
 * @param reason why it is in its state, for its user to read
 * @param attempt 0 before the first start
 * @param node that it runs or ran on
 * @param exitCode of the script; null before its end and when it never ran
 * @param cost so far
 */
public record JobView(
        String id,
        String name,
        String queue,
        String site,
        String user,
        int uid,
        JobState state,
        String reason,
        int attempt,
        String node,
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
        Money cost) {}
