package org.spillway.head.placement;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.spillway.policy.Offering;
import org.spillway.policy.Resources;

/**
 * A job that no node has yet and that nothing else holds back.
 *
 * @param sites where it may run, the most preferred first; at least one
 * @param nodes 1 or more, all of one site
 * @param site that it is bound to; empty for none
 * @param boundFor how long it has been bound there; zero when it is not
 * @param inputBytes of its whole input, 0 when there is none or it was not measured yet
 * @param stagedBytes of it that lie in {@code site} already
 * @param stuck its input has not come through to {@code site} for a while: that site cannot serve it
 * @param types the only ones that it may run on, as {@code SITE/TYPE}; empty for any
 * @param resultBytes that it is expected to leave for home, in all of its nodes
 */
public record WaitingJob(
        String id,
        List<String> sites,
        Resources perNode,
        int nodes,
        Duration walltime,
        int priority,
        Instant submittedAt,
        String site,
        Duration boundFor,
        long inputBytes,
        long stagedBytes,
        boolean stuck,
        List<String> types,
        long resultBytes) {
    /** The order in which jobs are served: by priority, then by submission; equal ones by number. */
    public static final Comparator<WaitingJob> SERVED = Comparator.comparingInt((WaitingJob job) -> -job.priority)
            .thenComparing(WaitingJob::submittedAt)
            .thenComparingInt(job -> job.id.length())
            .thenComparing(WaitingJob::id);

    /** For nodes of any type, with nothing to bring home. */
    public WaitingJob(
            String id,
            List<String> sites,
            Resources perNode,
            int nodes,
            Duration walltime,
            int priority,
            Instant submittedAt,
            String site,
            Duration boundFor,
            long inputBytes,
            long stagedBytes,
            boolean stuck) {
        this(
                id,
                sites,
                perNode,
                nodes,
                walltime,
                priority,
                submittedAt,
                site,
                boundFor,
                inputBytes,
                stagedBytes,
                stuck,
                List.of(),
                0);
    }

    public WaitingJob {
        sites = List.copyOf(sites);
        types = List.copyOf(types);
        if (sites.isEmpty() || nodes < 1) {
            throw new IllegalArgumentException("a job of " + nodes + " nodes for sites " + sites);
        }
    }

    /** Whether it may run on nodes of that type. */
    boolean takes(String where, String type) {
        return types.isEmpty() || types.contains(where + "/" + type);
    }

    boolean takes(Offering offering) {
        return perNode.fitsIn(offering.resources())
                && takes(offering.id().site(), offering.id().instanceType());
    }

    boolean isBound() {
        return !site.isEmpty();
    }

    /** Bytes that would have to be moved before it could start in that site. */
    long restBytes(String where) {
        return where.equals(site) ? Math.max(0, inputBytes - stagedBytes) : inputBytes;
    }
}
