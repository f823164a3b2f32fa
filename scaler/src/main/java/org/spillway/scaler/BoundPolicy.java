package org.spillway.scaler;

import java.time.Instant;
import java.util.Optional;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Planner;
import org.spillway.policy.ScalingPolicy;

/**
 * A policy that comes with the release, with the settings that it is asked with.
 *
 * @param release of Spillway, as decisions are journalled with it; empty where it does not matter
 */
public record BoundPolicy<S extends Record>(ScalingPolicy<S> policy, S settings, String release) implements Decider {
    public BoundPolicy(ScalingPolicy<S> policy, S settings) {
        this(policy, settings, "");
    }

    /**
     * @param settings of the class of the policy's defaults
     * @throws ClassCastException if they are of another class
     */
    public static <S extends Record> BoundPolicy<S> of(ScalingPolicy<S> policy, Record settings) {
        @SuppressWarnings("unchecked") // Cast to the class of this policy's own record.
        S typed = (S) policy.defaults().getClass().cast(settings);
        return new BoundPolicy<>(policy, typed);
    }

    /** The same, as decided by this release. */
    public BoundPolicy<S> in(String thisRelease) {
        return new BoundPolicy<>(policy, settings, thisRelease);
    }

    @Override
    public Decision decide(ClusterSnapshot now, Planner planner) {
        Source source = new Source(policy.name(), "", release, settings);
        return new Decision(source, policy.decide(now, settings, planner), "");
    }

    /** As the policy says with these settings. */
    public Optional<Instant> nextChange(ClusterSnapshot now) {
        return policy.nextChange(now, settings);
    }
}
