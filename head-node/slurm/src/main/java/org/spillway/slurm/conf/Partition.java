package org.spillway.slurm.conf;

import java.util.List;
import java.util.stream.Collectors;

/** @param nodes one group or more @param maxMinutes walltime */
public record Partition(String name, List<NodeGroup> nodes, long maxMinutes) {
    public Partition {
        nodes = List.copyOf(nodes);
    }

    String line() {
        return "PartitionName=" + name + " Nodes="
                + nodes.stream().map(NodeGroup::hostList).collect(Collectors.joining(",")) + " MaxTime=" + maxMinutes
                + " State=UP";
    }
}
