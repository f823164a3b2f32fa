package org.spillway.head.workload;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.Resources;

/**
 * A job that may be given to a node.
 *
 * @param attempt attempts that it has had; the next allocation is for this plus one
 * @param node where it runs already, when the head was started again meanwhile; null when it waits
 */
public record ReleasedJob(
        String id,
        String site,
        Resources resources,
        int priority,
        Instant submittedAt,
        int attempt,
        @Nullable String node) {}
