package org.spillway.scaler.simulate;

import java.time.Instant;
import java.time.ZoneId;
import java.util.Optional;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.scaler.BoundPolicy;
import org.spillway.scaler.Scaler;
import org.spillway.scaler.plan.Bound;
import org.spillway.scaler.plan.Plan;
import org.spillway.scaler.plan.Step;

/** The production scaler with one policy, and a count of what it decided. */
final class Decider {
    private final String label;
    private final BoundPolicy<?> policy;
    private final Scaler<?> scaler;
    private long decisions;
    private long changes;
    private long failures;

    /** The snapshots are made by who asks, from the shapes as they are kept. */
    Decider(PolicyChoice<?> choice, ZoneId zone) {
        label = choice.label();
        policy = choice.bound();
        scaler = Scaler.ofSnapshots(policy.policy().name(), policy, zone);
    }

    Plan plan(ClusterSnapshot snapshot) {
        Plan plan = scaler.plan(snapshot);
        decisions++;
        if (plan.changesAnything()) {
            changes++;
        }
        if (plan.steps().stream()
                .anyMatch(step -> step instanceof Step.Hold hold && hold.by() == Bound.Kind.POLICY_FAILED)) {
            failures++;
        }
        return plan;
    }

    Optional<Instant> nextChange(ClusterSnapshot snapshot) {
        return policy.nextChange(snapshot);
    }

    String label() {
        return label;
    }

    long decisions() {
        return decisions;
    }

    long changes() {
        return changes;
    }

    long failures() {
        return failures;
    }
}
