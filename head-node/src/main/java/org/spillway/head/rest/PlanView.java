package org.spillway.head.rest;

import java.time.Instant;
import java.util.List;
import org.spillway.policy.Money;

/** What the next tick would do, in order. */
public record PlanView(Instant at, String policy, List<StepView> steps, SpendView spend) {
    public PlanView {
        steps = List.copyOf(steps);
    }

    /**
     * @param action {@code launch}, {@code release} or {@code hold}
     * @param target the offering, the node, or the jobs' shape
     * @param count nodes to launch; 1 for a release, 0 for a hold
     * @param committed the most that a launch is expected to cost
     */
    public record StepView(String action, String target, int count, Money committed, String reason) {}
}
