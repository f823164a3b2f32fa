package org.spillway.head.placement;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.spillway.policy.Market;
import org.spillway.policy.Offering;
import org.spillway.policy.Resources;

/**
 * A job that no node has yet and that nothing else holds back.
 *
 * @param inputBytes of its whole input, 0 when there is none or it was not measured yet
 * @param resultBytes that it is expected to leave for home, in all of its nodes
 */
public record WaitingJob(
        String id, Need need, int priority, Instant submittedAt, Binding binding, long inputBytes, long resultBytes) {
    /** The order in which jobs are served: by priority, then by submission; equal ones by number. */
    public static final Comparator<WaitingJob> SERVED = WaitingJob::inTurn;

    /** In one piece, since ten thousand are sorted in each tick. */
    private static int inTurn(WaitingJob one, WaitingJob other) {
        if (one.priority != other.priority) {
            return Integer.compare(other.priority, one.priority);
        }
        int earlier = one.submittedAt.compareTo(other.submittedAt);
        if (earlier != 0) {
            return earlier;
        }
        int shorter = Integer.compare(one.id.length(), other.id.length());
        return shorter != 0 ? shorter : one.id.compareTo(other.id);
    }

    /**
     * @param sites where it may run, the most preferred first; at least one
     * @param types the only ones that it may run on, as {@code SITE/TYPE}; empty for any
     * @param nodes 1 or more, all of one site
     * @param markets in which its nodes may have been bought
     */
    public record Need(
            List<String> sites,
            List<String> types,
            Resources perNode,
            int nodes,
            Duration walltime,
            Set<Market> markets) {
        public Need {
            markets = Set.copyOf(markets);
            sites = List.copyOf(sites);
            types = List.copyOf(types);
            if (sites.isEmpty() || nodes < 1) {
                throw new IllegalArgumentException("a job of " + nodes + " nodes for sites " + sites);
            }
        }
    }

    /**
     * @param site that it is bound to; empty for none
     * @param age how long it has been bound there; zero when it is not
     * @param stagedBytes of its input that lie there already
     * @param stuck its input has not come through for a while: that site cannot serve it
     */
    public record Binding(String site, Duration age, long stagedBytes, boolean stuck) {
        public static final Binding NONE = new Binding("", Duration.ZERO, 0, false);
    }

    List<String> sites() {
        return need.sites;
    }

    List<String> types() {
        return need.types;
    }

    Resources perNode() {
        return need.perNode;
    }

    int nodes() {
        return need.nodes;
    }

    Duration walltime() {
        return need.walltime;
    }

    String site() {
        return binding.site;
    }

    boolean stuck() {
        return binding.stuck;
    }

    Set<Market> markets() {
        return need.markets;
    }

    /** Whether it may run on such nodes of a site. */
    boolean takes(String where, SiteOutlook.NodeRoom node) {
        return takesType(where, node.type()) && node.isSoldIn(need.markets);
    }

    private boolean takesType(String where, String type) {
        return need.types.isEmpty() || need.types.contains(where + "/" + type);
    }

    boolean takes(Offering offering) {
        return isLarge(offering) && need.markets.contains(offering.id().market());
    }

    /** Whether it would fit, were it sold in a market that it may use. */
    boolean isLarge(Offering offering) {
        return need.perNode.fitsIn(offering.resources())
                && takesType(offering.id().site(), offering.id().instanceType());
    }

    boolean isBound() {
        return !binding.site.isEmpty();
    }

    /** Bytes that would have to be moved before it could start in that site. */
    long restBytes(String where) {
        return where.equals(binding.site) ? Math.max(0, inputBytes - binding.stagedBytes) : inputBytes;
    }
}
