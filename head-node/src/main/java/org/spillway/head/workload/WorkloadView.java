package org.spillway.head.workload;

import java.util.List;

/** What a workload manager has decided: who runs where. */
public record WorkloadView(List<Allocation> allocations) {
    public WorkloadView {
        allocations = List.copyOf(allocations);
    }

    /** This attempt of the job has those nodes, in the order of their ranks. */
    public record Allocation(String job, int attempt, List<String> nodes) {
        public Allocation {
            nodes = List.copyOf(nodes);
        }
    }
}
