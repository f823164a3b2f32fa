package org.spillway.slurm.manager;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.spillway.head.workload.ForeignJob;

/**
 * The result of one complete look.
 *
 * @param begun when the first question was asked
 * @param complete whether it was looked at with all that the head knows
 * @param jobs by key, in Slurm's order
 * @param users of all jobs that Slurm listed in partitions of ours, by its ids
 * @param slots by node, where Slurm looks for the node at its address
 * @param turns what those nodes are told, see {@link SlurmGrant}
 * @param absent nodes that serve and are not in Slurm, since when
 * @param withheld see {@link NodePlan}
 */
record SlurmView(
        Instant begun,
        boolean complete,
        Map<String, ForeignJob> jobs,
        Map<Long, Long> users,
        Map<String, String> slots,
        Map<String, SlurmTurn> turns,
        Map<String, Instant> absent,
        Set<WantedNode> vacant,
        Set<WantedNode> gone,
        Map<String, String> withheld) {
    SlurmView {
        jobs = Collections.unmodifiableMap(new LinkedHashMap<>(jobs));
        users = Map.copyOf(users);
        slots = Map.copyOf(slots);
        turns = Map.copyOf(turns);
        absent = Map.copyOf(absent);
        vacant = Set.copyOf(vacant);
        gone = Set.copyOf(gone);
        withheld = Map.copyOf(withheld);
    }
}
