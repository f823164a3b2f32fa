package org.spillway.scaler.plan;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Steps to take now, each with its reason, in the order in which to take them. */
public record Plan(Instant at, String policy, List<Step> steps) {
    public Plan {
        steps = List.copyOf(steps);
    }

    /** This with one step more, at the end. */
    public Plan with(Step last) {
        List<Step> all = new ArrayList<>(steps);
        all.add(last);
        return new Plan(at, policy, all);
    }

    /** Whether applying it would change anything. */
    public boolean changesAnything() {
        return steps.stream().anyMatch(step -> !(step instanceof Step.Hold));
    }
}
