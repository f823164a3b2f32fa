package org.spillway.head.rest;

import java.util.ArrayList;
import java.util.List;
import org.spillway.api.PlanView;
import org.spillway.api.SpendView;
import org.spillway.policy.Money;

/** A plan that launches and holds. */
public final class FakePlan {
    private FakePlan() {}

    static PlanView of(SpendView spend) {
        return new PlanView(
                FakeHead.NOON,
                "queue-depth",
                List.of(
                        PlanView.StepView.of(step -> {
                            step.action = "launch";
                            step.target = "east/a/small";
                            step.count = 2;
                            step.jobs = List.of("2", "3");
                            step.committed = Money.parse("1.25");
                            step.reason = "2 jobs wait";
                        }),
                        PlanView.StepView.of(step -> {
                            step.action = "hold";
                            step.target = "2c-4g";
                            step.jobs = List.of("4");
                            step.reason = "site east is full";
                        })),
                spend,
                false);
    }

    /** The same, as a dry run that would power nodes on and off. */
    public static PlanView dry(PlanView plan) {
        List<PlanView.StepView> steps = new ArrayList<>(plan.steps());
        steps.add(PlanView.StepView.of(step -> {
            step.action = "power-on";
            step.target = "east-7";
            step.count = 1;
            step.jobs = List.of("3");
            step.committed = Money.parse("0.75");
            step.reason = "2 jobs wait";
        }));
        steps.add(PlanView.StepView.of(step -> {
            step.action = "power-off";
            step.target = "east-8";
            step.count = 1;
            step.reason = "idle for long";
        }));
        return new PlanView(plan.at(), plan.policy(), steps, plan.spend(), true);
    }
}
