package org.spillway.head.workload;

import java.util.List;

/**
 * A workload manager's decision: who runs where.
 *
 * @param jobs all jobs that were given to the manager itself and that it knows now, in its order; none from a manager
 *     that takes jobs from the head only. One that is not there any more has ended unseen
 */
public record WorkloadView(List<Allocation> allocations, List<ForeignJob> jobs) {
    public WorkloadView {
        allocations = List.copyOf(allocations);
        jobs = List.copyOf(jobs);
    }

    public WorkloadView(List<Allocation> allocations) {
        this(allocations, List.of());
    }

    /** This attempt of the job has those nodes, in the order of their ranks. */
    public record Allocation(String job, int attempt, List<String> nodes) {
        public Allocation {
            nodes = List.copyOf(nodes);
        }
    }
}
