package org.spillway.scaler;

import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Planner;
import org.spillway.policy.ScalingPolicy;
import org.spillway.policy.ScalingPolicyContract;
import org.spillway.policy.builtin.QueueDepthPolicy;
import org.spillway.policy.builtin.QueueDepthSettings;
import org.spillway.scaler.plan.FirstFitPlanner;

class QueueDepthPolicyTest extends ScalingPolicyContract<QueueDepthSettings> {
    @Override
    protected ScalingPolicy<QueueDepthSettings> policy() {
        return new QueueDepthPolicy();
    }

    @Override
    protected Planner planner(ClusterSnapshot snapshot) {
        return new FirstFitPlanner(snapshot.offerings());
    }
}
