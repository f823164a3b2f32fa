package org.spillway.head.replay;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.spillway.head.journal.DecisionEntry;
import org.spillway.head.journal.PolicyRecord;
import org.spillway.policy.ScalingPolicy;
import org.spillway.scaler.BoundPolicy;
import org.spillway.scaler.Decider;
import org.spillway.scaler.Scaler;
import org.spillway.scaler.plan.Plan;
import org.spillway.scaler.plan.Step;

/**
 * Decides a journalled decision once more, by the policy and the settings that were used then, with the planner of this
 * release, and compares.
 */
public final class Replay {
    private static final int MOST_DIFFERENCES = 10;

    private final Policies policies;

    /** Where policies are found again. */
    @FunctionalInterface
    public interface Policies {
        Found find(DecisionEntry.Made made);

        /** Policies that come with the release, which have no versions of their own. */
        static Policies builtIn(Map<String, ScalingPolicy<?>> policies) {
            Map<String, ScalingPolicy<?>> known = Map.copyOf(policies);
            return made -> {
                ScalingPolicy<?> policy = known.get(made.policy());
                if (policy == null || !made.version().isEmpty()) {
                    return new Missing(named(made) + " is not there any more");
                }
                return PolicyRecord.settings(made, policy.defaults())
                        .<Found>map(settings -> new Again(BoundPolicy.of(policy, settings)))
                        .orElseGet(() ->
                                new Missing("the settings of then do not fit policy " + made.policy() + " of now"));
            };
        }
    }

    /** A policy with the settings of then. */
    public sealed interface Found {}

    /** @param decider may throw {@link NoAnswer} */
    public record Again(Decider decider) implements Found {}

    /** @param why in one sentence */
    public record Missing(String why) implements Found {}

    /** The policy turned out not to be askable; the message says why, in one sentence. */
    public static final class NoAnswer extends RuntimeException {
        private static final long serialVersionUID = 1;

        public NoAnswer(String message) {
            super(message);
        }
    }

    /** The policy, and its version if it has any. */
    public static String named(DecisionEntry.Made made) {
        return "policy " + made.policy() + (made.version().isEmpty() ? "" : " in version " + made.version());
    }

    /** Result of the replay. */
    public enum Verdict {
        IDENTICAL,
        DIFFERS,
        /** The decision cannot be made again: its policy is gone, or it was journalled without its settings. */
        NOT_REPLAYED
    }

    /** @param differences each in one line, at most ten; or why it was not replayed; empty when it is identical */
    public record Outcome(String decision, Instant at, String policy, Verdict verdict, List<String> differences) {
        public Outcome {
            differences = List.copyOf(differences);
        }
    }

    public Replay(Policies policies) {
        this.policies = policies;
    }

    /** Never fails: what cannot be replayed is an outcome too. */
    public Outcome of(DecisionEntry decision) {
        DecisionEntry.Made made = decision.made();
        if (!made.isKnown()) {
            return notReplayed(
                    decision, "it was journalled by a release that did not write down its policy's settings");
        }
        ZoneId zone;
        try {
            zone = ZoneId.of(made.zone());
        } catch (DateTimeException unknown) {
            return notReplayed(decision, "time zone " + made.zone() + " is not known here");
        }
        return switch (policies.find(made)) {
            case Missing missing -> notReplayed(decision, missing.why());
            case Again again -> compared(decision, again.decider(), zone);
        };
    }

    private static Outcome compared(DecisionEntry decision, Decider decider, ZoneId zone) {
        List<String> unanswered = new ArrayList<>();
        Decider listened = (now, planner) -> {
            try {
                return decider.decide(now, planner);
            } catch (NoAnswer none) {
                unanswered.add(String.valueOf(none.getMessage()));
                throw none;
            }
        };
        Plan now = Scaler.ofSnapshots(decision.made().policy(), listened, zone).plan(decision.snapshot());
        if (!unanswered.isEmpty()) {
            return notReplayed(decision, unanswered.getFirst());
        }
        List<String> differences = differences(decision.plan(), now);
        return new Outcome(
                decision.id(),
                decision.plan().at(),
                decision.made().policy(),
                differences.isEmpty() ? Verdict.IDENTICAL : Verdict.DIFFERS,
                differences);
    }

    private static Outcome notReplayed(DecisionEntry decision, String why) {
        return new Outcome(
                decision.id(), decision.plan().at(), decision.plan().policy(), Verdict.NOT_REPLAYED, List.of(why));
    }

    private static List<String> differences(Plan then, Plan now) {
        List<String> differences = new ArrayList<>();
        if (!then.policy().equals(now.policy())) {
            differences.add("policy: was " + then.policy() + ", is " + now.policy());
        }
        int steps = Math.max(then.steps().size(), now.steps().size());
        for (int i = 0; i < steps && differences.size() < MOST_DIFFERENCES; i++) {
            String was = i < then.steps().size() ? then.steps().get(i).toString() : "nothing";
            String is = i < now.steps().size() ? now.steps().get(i).toString() : "nothing";
            boolean equal = i < then.steps().size()
                    && i < now.steps().size()
                    && wordless(then.steps().get(i))
                            .equals(like(
                                    then.steps().get(i), wordless(now.steps().get(i))));
            if (!equal) {
                differences.add("step " + (i + 1) + ": was " + was + ", is " + is);
            }
        }
        if (differences.isEmpty() && !then.at().equals(now.at())) {
            differences.add("was " + then + ", is " + now);
        }
        return differences;
    }

    /** A step as the release would have said it that said the other: earlier ones had nothing behind an offering. */
    private static Step like(Step then, Step now) {
        return then instanceof Step.Launch old
                        && old.behind().offerings().isEmpty()
                        && now
                                instanceof
                                Step.Launch(var id, int count, var shapes, var cost, var why, var group, var rest)
                ? new Step.Launch(id, count, shapes, cost, why, group, Step.Behind.NOTHING)
                : now;
    }

    /** A step without its sentence: releases word the same decision in different ways, and times of day as well. */
    private static Step wordless(Step step) {
        return switch (step) {
            case Step.Launch one ->
                new Step.Launch(
                        one.offering(), one.count(), one.shapes(), one.committed(), "", one.group(), one.behind());
            case Step.Release one -> new Step.Release(one.node(), "");
            case Step.Power one -> new Step.Power(one.node(), one.on(), one.shapes(), one.committed(), "");
            case Step.Repurpose one ->
                new Step.Repurpose(one.node(), one.category(), one.shapes(), one.committed(), "");
            case Step.Overlay one -> new Step.Overlay(one.node(), one.overlay(), one.join(), "");
            case Step.Hold one -> new Step.Hold(one.shape(), "", one.by(), one.name());
        };
    }
}
