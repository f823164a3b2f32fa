package org.spillway.api;

import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.spillway.api.form.Describes;
import org.spillway.policy.Money;

/** The plan of the next tick, in order. */
public record PlanView(
        Instant at,

        String policy,

        List<StepView> steps,

        SpendView spend,

        @Describes("nothing of it is done, because the configuration says so")
        boolean dryRun) {
    public PlanView {
        steps = List.copyOf(steps);
    }

    public record StepView(
            @Describes("launch, release, power-on, power-off or hold; breaker for one that is open")
            String action,

            @Describes("the offering, the node, the jobs' shape, the queue of jobs that have no site, or the breaker")
            String target,

            @Describes("nodes to launch; 1 for a release and for power, 0 for a hold")
            int count,

            @Describes("that a launch or a hold is about, at most 100 of them")
            List<String> jobs,

            @Describes("the most that a launch, or a node that is powered on, is expected to cost")
            Money committed,

            String reason,

            @Describes("what bringing home the results of one of these jobs is expected to cost, at most, besides")
            Money egress) {
        public StepView {
            jobs = List.copyOf(jobs);
        }

        /** A step by the names of its parts; those that {@code made} leaves alone are as {@link Draft} has them. */
        public static StepView of(Consumer<Draft> made) {
            Draft draft = new Draft();
            made.accept(draft);
            return draft.made();
        }

        /** Parts of one that is being made. */
        public static final class Draft {
            public String action = "";
            public String target = "";
            public int count;
            public List<String> jobs = List.of();
            public Money committed = Money.ZERO;
            public String reason = "";
            public Money egress = Money.ZERO;

            private Draft() {}

            private StepView made() {
                return new StepView(action, target, count, jobs, committed, reason, egress);
            }
        }
    }
}
