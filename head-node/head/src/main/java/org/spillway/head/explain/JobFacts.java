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
 * @param site that it is bound to; empty before
 * @param nodesWanted 1 or more
 * @param nodes on the way that are to be its own while it waits; its own while it runs
 * @param expectedStart null when nothing can be said, and once it runs
 */
public record JobFacts(
        Life life,
        String site,
        int nodesWanted,
        Duration walltime,
        Obstacles obstacles,
        List<OneNode> nodes,
        @Nullable Instant expectedStart,
        Moved moved) {
    public JobFacts {
        nodes = List.copyOf(nodes);
    }

    /**
     * @param since when it entered its state
     * @param reason that the journal gives for its state; empty for none
     * @param stopping what still runs of it is being stopped
     */
    public record Life(
            JobState state, Instant since, String reason, boolean cancelled, boolean stopping, int attempt) {}

    /**
     * @param waitsFor why it waits, as all listings say; empty for nothing
     * @param refused offerings of its site that are large enough and may not be asked now
     * @param places fabrics on which a gang that waits has nodes, or will have, but not enough of them; those with the
     *     most first
     */
    public record Obstacles(String waitsFor, List<Refused> refused, List<OnFabric> places) {
        public Obstacles {
            refused = List.copyOf(refused);
            places = List.copyOf(places);
        }
    }

    /**
     * @param inBytes of its input that are in its site, {@code totalBytes} of all; both 0 when there is none or it was not
     *     looked at yet
     * @param homeBytes of its results that are at home
     * @param results what bringing them home costs or is expected to; null where its site takes nothing for that
     */
    public record Moved(
            long inBytes,
            long totalBytes,
            long homeBytes,
            @Nullable Results results) {}

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
