package org.spillway.api;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.spillway.api.form.Describes;
import org.spillway.policy.Money;

/** A job in a listing. Texts are empty where there is nothing to say. */
public record JobView(
        String id,

        @Describes("id of the array that it is a task of; empty for none")
        String array,

        String name,

        String project,

        String queue,

        @Describes("where it is or will be; empty until that is decided")
        String site,

        String user,

        int uid,

        JobState state,

        @Describes("why it is in its state, for its user to read")
        String reason,

        @Describes("0 before the first start; after an older journal was put back, numbers go on a thousand higher")
        int attempt,

        @Describes("that it runs or ran on, by rank") List<String> nodes,

        @Describes("nodes that it asks for") int nodeCount,

        int cpus,

        long memoryBytes,

        int gpus,

        String gpuModel,

        long walltimeSeconds,

        int priority,

        Instant submittedAt,

        @Nullable Instant startedAt,

        @Nullable Instant endedAt,

        @Describes("of the script; null before its end and when it never ran") @Nullable
        Integer exitCode,

        @Describes("of its input's bundle; 0 before it is staged")
        long bytesIn,

        @Describes("of its results") long bytesOut,

        @Describes("so far") Money cost,

        @Describes("the same as reason, for programs") CauseView cause,

        @Describes("that is charged; empty for none") String account,

        @Describes("of a job that waits, the same as explain says; null when nothing can be said, and once it runs")
        @Nullable
        Instant expectedStart) {
    public JobView {
        account = account == null ? "" : account;
        // An older head does not say it.
        cause = cause == null ? CauseView.NONE : cause;
        nodes = List.copyOf(nodes);
    }

    /** The same job in another state, or with other words for it. */
    public JobView as(JobState next, String why, CauseView code) {
        return new JobView(
                id,
                array,
                name,
                project,
                queue,
                site,
                user,
                uid,
                next,
                why,
                attempt,
                nodes,
                nodeCount,
                cpus,
                memoryBytes,
                gpus,
                gpuModel,
                walltimeSeconds,
                priority,
                submittedAt,
                startedAt,
                endedAt,
                exitCode,
                bytesIn,
                bytesOut,
                cost,
                code,
                account,
                next.waitsToStart() ? expectedStart : null);
    }
}
