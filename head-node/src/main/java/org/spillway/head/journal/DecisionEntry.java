package org.spillway.head.journal;

import org.spillway.policy.ClusterSnapshot;
import org.spillway.scaler.plan.Plan;

/** A plan that changed something, with all that it depended on, for replay. */
public record DecisionEntry(String id, ClusterSnapshot snapshot, Plan plan) implements Entry {
    @Override
    public String kind() {
        return "decision";
    }

    @Override
    public String state() {
        return "APPLIED";
    }

    @Override
    public String reason() {
        return plan.policy();
    }

    @Override
    public boolean isLive() {
        return false;
    }
}
