package org.spillway.slurm.conf;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A partition over nodes of ours. What it says of power is its own, so that nodes at home are never powered down. It is DOWN
 * until a head has kept from jobs what nobody has bought: slurmctld reads this at its start, when nobody has said more.
 *
 * @param nodes one group or more
 * @param maxMinutes walltime
 * @param bootSeconds how long a node may take until it registers
 * @param reaches whether jobs find their user's home on all of its nodes
 */
public record Partition(String name, List<NodeGroup> nodes, long maxMinutes, long bootSeconds, boolean reaches) {
    /**
     * A year, in seconds: longer than any node idles. With {@code INFINITE} in all partitions power saving is off as a whole,
     * and nodes cannot be powered down by a word either.
     */
    static final long NEVER_SECONDS = 31_536_000;

    /** How long Slurm gives no job to a node that it has powered down. */
    private static final long SUSPEND_SECONDS = 30;

    public Partition {
        nodes = List.copyOf(nodes);
    }

    /** As slurm.conf has it. */
    public String line() {
        return "PartitionName=" + name + " Nodes="
                + nodes.stream().map(NodeGroup::hostList).collect(Collectors.joining(",")) + " MaxTime=" + maxMinutes
                + " State=DOWN SuspendTime=" + NEVER_SECONDS + " SuspendTimeout=" + SUSPEND_SECONDS + " ResumeTimeout="
                + bootSeconds;
    }
}
