package org.spillway.head.explain;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.spillway.api.NodeState;

/**
 * All that the head knows about why a node is there.
 *
 * @param state with {@code since} and {@code reason}, which is empty when nothing needs saying
 * @param boughtAt when it was decided
 * @param boughtWhy what was said then
 * @param decision that bought it; empty for one that the scaler did not buy, or that is not kept any more
 * @param jobs that it runs now
 * @param kept it is not released by the policy
 * @param parked it gets no further jobs
 * @param idleSince when it last had a job, or came up
 * @param role what it is among others, as a clause; empty where all are alike
 * @param idleTime after which the policy releases what nothing needs
 */
public record NodeFacts(
        String id,
        String site,
        NodeState state,
        Instant since,
        String reason,
        Instant boughtAt,
        String boughtWhy,
        String decision,
        List<String> jobs,
        boolean kept,
        boolean parked,
        Instant idleSince,
        Duration idleTime,
        String role) {
    public NodeFacts {
        jobs = List.copyOf(jobs);
    }

    /** The same, bought by that decision. */
    public NodeFacts by(String id) {
        return new NodeFacts(
                this.id, site, state, since, reason, boughtAt, boughtWhy, id, jobs, kept, parked, idleSince, idleTime,
                role);
    }
}
