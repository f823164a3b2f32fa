package org.spillway.head.workload.slurm;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.spillway.head.workload.ForeignJob;

/**
 * What one complete look showed.
 *
 * @param begun when the first question was asked
 * @param complete whether it was looked at with all that the head knows
 * @param jobs by key, in Slurm's order
 * @param users of all jobs that Slurm listed in partitions of ours, by its ids
 * @param slots by node, where Slurm looks for the node at its address
 */
record SlurmView(
        Instant begun,
        boolean complete,
        Map<String, ForeignJob> jobs,
        Map<Long, Long> users,
        Map<String, String> slots,
        Set<WantedNode> vacant,
        Set<WantedNode> gone) {
    SlurmView {
        jobs = Collections.unmodifiableMap(new LinkedHashMap<>(jobs));
        users = Map.copyOf(users);
        slots = Map.copyOf(slots);
        vacant = Set.copyOf(vacant);
        gone = Set.copyOf(gone);
    }
}
