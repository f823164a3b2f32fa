package org.spillway.head.journal;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.Resources;

/**
 * What a user submitted; never changes.
 *
 * @param idempotencyKey chosen by the client: the same key by the same user is the same job
 * @param input absolute path at home of the input file; null for none
 * @param outputs what is brought home
 */
public record JobSpec(
        String name,
        String user,
        int uid,
        int gid,
        String queue,
        String site,
        String script,
        List<String> arguments,
        Map<String, String> environment,
        Resources resources,
        Duration walltime,
        int priority,
        @Nullable String input,
        List<Output> outputs,
        String idempotencyKey,
        Instant submittedAt) {
    public JobSpec {
        arguments = List.copyOf(arguments);
        environment = Map.copyOf(environment);
        outputs = List.copyOf(outputs);
    }

    /** @param path in the job's folder; {@code destination} absolute path at home */
    public record Output(String path, String destination) {}
}
