package org.spillway.scaler;

import org.junit.jupiter.api.Nested;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Planner;
import org.spillway.policy.ScalingPolicy;
import org.spillway.policy.ScalingPolicyContract;
import org.spillway.policy.builtin.AgePolicy;
import org.spillway.policy.builtin.AgeSettings;
import org.spillway.policy.builtin.BudgetCappedPolicy;
import org.spillway.policy.builtin.BudgetCappedSettings;
import org.spillway.policy.builtin.BuiltInPolicies;
import org.spillway.policy.builtin.ChainPolicy;
import org.spillway.policy.builtin.CostFirstPolicy;
import org.spillway.policy.builtin.CostFirstSettings;
import org.spillway.policy.builtin.DeadlinePolicy;
import org.spillway.policy.builtin.DeadlineSettings;
import org.spillway.policy.builtin.SchedulePolicy;
import org.spillway.policy.builtin.ScheduleSettings;
import org.spillway.policy.builtin.SpotThenOnDemandPolicy;
import org.spillway.policy.builtin.SpotThenOnDemandSettings;
import org.spillway.scaler.plan.FirstFitPlanner;

/** Every built-in policy keeps the contract; queue-depth has a test of its own. */
class BuiltInContractTest {
    abstract static class BuiltIn<S extends Record> extends ScalingPolicyContract<S> {
        private final ScalingPolicy<S> policy;

        BuiltIn(ScalingPolicy<S> policy) {
            this.policy = policy;
        }

        @Override
        protected ScalingPolicy<S> policy() {
            return policy;
        }

        @Override
        protected Planner planner(ClusterSnapshot snapshot) {
            return new FirstFitPlanner(snapshot);
        }
    }

    @Nested
    class Age extends BuiltIn<AgeSettings> {
        Age() {
            super(new AgePolicy());
        }
    }

    @Nested
    class Deadline extends BuiltIn<DeadlineSettings> {
        Deadline() {
            super(new DeadlinePolicy());
        }
    }

    @Nested
    class CostFirst extends BuiltIn<CostFirstSettings> {
        CostFirst() {
            super(new CostFirstPolicy());
        }
    }

    @Nested
    class SpotThenOnDemand extends BuiltIn<SpotThenOnDemandSettings> {
        SpotThenOnDemand() {
            super(new SpotThenOnDemandPolicy());
        }
    }

    @Nested
    class Schedule extends BuiltIn<ScheduleSettings> {
        Schedule() {
            super(new SchedulePolicy());
        }
    }

    @Nested
    class BudgetCapped extends BuiltIn<BudgetCappedSettings> {
        BudgetCapped() {
            super(new BudgetCappedPolicy());
        }
    }

    @Nested
    class Chain extends BuiltIn<ChainPolicy.Settings> {
        Chain() {
            super((ChainPolicy) BuiltInPolicies.find("schedule+spot-then-on-demand+queue-depth+budget-capped")
                    .orElseThrow()
                    .policy());
        }
    }
}
