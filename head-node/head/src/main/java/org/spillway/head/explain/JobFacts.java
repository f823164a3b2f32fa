package org.spillway.head.explain;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.policy.Money;

/**
 * All that the head knows about why a job is where it is.
 *
 * @param since when it entered its state
 * @param reason that the journal gives for its state; empty for none
 * @param site that it is bound to; empty before
 * @param nodesWanted 1 or more
 * @param movedBytes of its input that are in its site, {@code totalBytes} of all; both 0 when there is none or it was
 *     not looked at yet
 * @param waitsFor what the loop waits for, as last said; empty for nothing
 * @param hold why the scaler does nothing for its shape; empty when it does, or need not
 * @param refused offerings of its site that are large enough and may not be asked now
 * @param nodes on the way that are large enough for it while it waits; its own while it runs
 * @param expectedStart null when nothing can be said, and once it runs
 * @param stopping what still runs of it is being stopped
 * @param homeBytes of its results that are at home
 * @param places fabrics on which a gang that waits has nodes, or will have, but not enough of them; those with the most first
 * @param results what bringing them home costs or is expected to; null where its site takes nothing for that
 */
public record JobFacts(
        JobState state,
        Instant since,
        String reason,
        boolean cancelled,
        String site,
        int nodesWanted,
        Duration walltime,
        int attempt,
        long movedBytes,
        long totalBytes,
        String waitsFor,
        String hold,
        List<Refused> refused,
        List<OneNode> nodes,
        @Nullable Instant expectedStart,
        boolean stopping,
        long homeBytes,
        List<OnFabric> places,
        @Nullable Results results) {
    public JobFacts {
        places = List.copyOf(places);
        refused = List.copyOf(refused);
        nodes = List.copyOf(nodes);
    }

    /** @param nodes that are there with room for it, or on their way */
    public record OnFabric(String zone, String fabric, int nodes) {}

    /** @param price for bringing so many bytes home */
    public record Results(long bytes, Money price) {}

    /** @param retryAt null when it may be asked as soon as something else is settled */
    public record Refused(
            String instanceType,
            String zone,
            String why,
            @Nullable Instant retryAt) {}

    /** @param since when it entered its state */
    public record OneNode(String id, String instanceType, NodeState state, Instant since) {}
}
