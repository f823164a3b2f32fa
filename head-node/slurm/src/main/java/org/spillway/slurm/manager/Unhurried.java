package org.spillway.slurm.manager;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Jobs that wait as long as Slurm lets them wait after a requeue, two minutes: those that were taken off living nodes whose
 * slurmd has seen them end. A slurmd of 22.05.8 remembers an ended job for that long, and when it is busy it may run such a
 * job again without asking the Prolog: without its order. Used by one thread.
 */
final class Unhurried {
    private final Set<String> keys = new HashSet<>();

    /** @param agains keys of jobs that are taken off their nodes now @param released targets of jobs that Slurm had held */
    List<SlurmOrder> without(
            List<SlurmOrder> orders, Collection<JobPlan.Listed> listed, Set<String> agains, Set<String> released) {
        for (JobPlan.Listed job : listed) {
            if (agains.contains(job.key()) || released.contains(job.target())) {
                keys.add(job.key());
            } else if (!job.row().isPending()) {
                keys.remove(job.key());
            }
        }
        keys.retainAll(listed.stream().map(JobPlan.Listed::key).collect(Collectors.toSet()));
        Set<String> waiting = listed.stream()
                .filter(job -> keys.contains(job.key()))
                .map(JobPlan.Listed::target)
                .collect(Collectors.toSet());
        return orders.stream()
                .filter(order -> !(order instanceof SlurmOrder.StartAgain(String job) && waiting.contains(job)))
                .toList();
    }
}
