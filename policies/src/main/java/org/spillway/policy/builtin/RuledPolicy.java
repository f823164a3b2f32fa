package org.spillway.policy.builtin;

import java.util.List;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Planner;
import org.spillway.policy.ScalingPolicy;
import org.spillway.policy.Wish;

/**
 * A policy under the rules of the house.
 *
 * @param <S> settings of the policy, which keeps its name
 */
public final class RuledPolicy<S extends Record> implements ScalingPolicy<S> {
    private final ScalingPolicy<S> policy;
    private final HouseRuling ruling;

    public RuledPolicy(ScalingPolicy<S> policy, HouseRules rules) {
        this.policy = policy;
        this.ruling = new HouseRuling(rules);
    }

    @Override
    public String name() {
        return policy.name();
    }

    @Override
    public S defaults() {
        return policy.defaults();
    }

    @Override
    public List<Wish> decide(ClusterSnapshot now, S settings, Planner planner) {
        return ruling.ruled(now, policy.decide(ruling.seen(now), settings, planner));
    }
}
