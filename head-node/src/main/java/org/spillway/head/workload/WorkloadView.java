package org.spillway.head.workload;

import java.util.List;

/** What a workload manager has decided: who runs where. */
public record WorkloadView(List<Allocation> allocations) {
    public WorkloadView {
        allocations = List.copyOf(allocations);
    }

    /** This attempt of the job has that node. */
    public record Allocation(String job, int attempt, String node) {}
}
