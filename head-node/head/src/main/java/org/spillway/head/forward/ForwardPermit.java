package org.spillway.head.forward;

import java.util.Optional;

/** Who may reach a service of home, by what the head itself knows. Pure. */
final class ForwardPermit {
    private ForwardPermit() {}

    /** A line of a node, as a director tells of it. */
    record Asked(String site, String node, String job, int attempt, String name) {}

    /** Whether that job runs there. A director speaks for the nodes that run an attempt now, and for nobody else. */
    static boolean runs(Asked asked, Optional<RunningJob> job) {
        return job.filter(one -> one.site().equals(asked.site())
                        && one.attempt() == asked.attempt()
                        && one.nodes().contains(asked.node()))
                .isPresent();
    }

    /** Why not; empty for a job that may. */
    static Optional<String> refusal(Asked asked, Optional<RunningJob> job, Optional<HomeForward> forward) {
        if (job.isEmpty() || !runs(asked, job)) {
            return Optional.of("this job does not run there");
        }
        if (forward.isEmpty()) {
            return Optional.of("there is no such service");
        }
        return forward.get().told().isFor(job.get().groups())
                ? Optional.empty()
                : Optional.of("user " + job.get().user() + " is in none of its groups ("
                        + String.join(", ", forward.get().groups()) + ")");
    }
}
