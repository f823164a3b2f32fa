package org.spillway.head.explain;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.spillway.api.NodeState;

/**
 * All that the head knows about why a node is there.
 *
 * @param jobs that it runs now
 * @param kept it is not released by the policy
 * @param parked it gets no further jobs
 * @param role what it is among others, as a clause; empty where all are alike
 * @param gate what each check of its gate found, in their order; empty before it is heard
 */
public record NodeFacts(
        String id,
        String site,
        Life life,
        Bought bought,
        List<String> jobs,
        boolean kept,
        boolean parked,
        Idle idle,
        String role,
        List<Check> gate) {
    public NodeFacts {
        gate = List.copyOf(gate);
        jobs = List.copyOf(jobs);
    }

    /** @param reason empty when nothing needs saying */
    public record Life(NodeState state, Instant since, String reason) {}

    /**
     * @param at when it was decided
     * @param why what was said then
     * @param decision that bought it; empty for one that the scaler did not buy, or that is not kept any more
     */
    public record Bought(Instant at, String why, String decision) {}

    /**
     * @param since when it last had a job, or came up
     * @param longest after which the policy releases what nothing needs
     */
    public record Idle(Instant since, Duration longest) {}

    /** @param found in the node's words; may be empty */
    public record Check(String name, boolean passed, String found) {}

    /** The same, for whoever shows the checks beside it. */
    public NodeFacts withoutGate() {
        return new NodeFacts(id, site, life, bought, jobs, kept, parked, idle, role, List.of());
    }

    /** The same, bought by that decision. */
    public NodeFacts by(String decision) {
        return new NodeFacts(
                id, site, life, new Bought(bought.at, bought.why, decision), jobs, kept, parked, idle, role, gate);
    }
}
