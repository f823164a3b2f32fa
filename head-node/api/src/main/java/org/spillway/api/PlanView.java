package org.spillway.api;

import java.time.Instant;
import java.util.List;
import org.spillway.policy.Money;

/**
 * The plan of the next tick, in order.
 *
 * @param dryRun nothing of it is done, because the configuration says so
 */
public record PlanView(Instant at, String policy, List<StepView> steps, SpendView spend, boolean dryRun) {
    public PlanView {
        steps = List.copyOf(steps);
    }

    /** A plan that is carried out. */
    public PlanView(Instant at, String policy, List<StepView> steps, SpendView spend) {
        this(at, policy, steps, spend, false);
    }

    /**
     * @param action {@code launch}, {@code release}, {@code power-on}, {@code power-off} or {@code hold}; {@code breaker}
     *     for one that is open
     * @param target the offering, the node, the jobs' shape, the queue of jobs that have no site, or the breaker
     * @param count nodes to launch; 1 for a release and for power, 0 for a hold
     * @param jobs that a launch or a hold is about, at most 100 of them
     * @param committed the most that a launch, or a node that is powered on, is expected to cost
     * @param egress what bringing home the results of one of these jobs is expected to cost, at most, besides
     */
    public record StepView(
            String action, String target, int count, List<String> jobs, Money committed, String reason, Money egress) {
        public StepView {
            jobs = List.copyOf(jobs);
        }

        /** For no jobs, or with results that nobody takes money for. */
        public StepView(String action, String target, int count, List<String> jobs, Money committed, String reason) {
            this(action, target, count, jobs, committed, reason, Money.ZERO);
        }
    }
}
