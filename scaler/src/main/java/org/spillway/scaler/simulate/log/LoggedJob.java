package org.spillway.scaler.simulate.log;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.Resources;

/**
 * A job as the log has it.
 *
 * @param id as the log names it
 * @param submit when it was submitted
 * @param duration how long it ran; nobody who decides may see it
 * @param nodes 1 or more
 * @param perNode what it had on each
 * @param walltime what it asked for; null where the log does not say
 * @param queue empty where the log does not say
 * @param user empty where the log does not say
 * @param account empty where the log does not say
 * @param priority higher is more urgent; 0 where the log does not say
 * @param deadline when its result was needed; null for whenever
 */
public record LoggedJob(
        String id,
        Instant submit,
        Duration duration,
        int nodes,
        Resources perNode,
        @Nullable Duration walltime,
        String queue,
        String user,
        String account,
        long priority,
        @Nullable Instant deadline) {
    public LoggedJob {
        if (nodes < 1 || duration.isNegative() || duration.isZero()) {
            throw new IllegalArgumentException("a job has a node and runs for a while: " + id);
        }
    }

    /** The job with another deadline. */
    public LoggedJob due(Instant when) {
        return new LoggedJob(id, submit, duration, nodes, perNode, walltime, queue, user, account, priority, when);
    }
}
