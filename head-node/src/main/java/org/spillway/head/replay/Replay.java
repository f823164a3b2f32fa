package org.spillway.head.replay;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.spillway.head.journal.DecisionEntry;
import org.spillway.head.journal.PolicyRecord;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.LaunchRecord;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.policy.ScalingPolicy;
import org.spillway.scaler.Fleet;
import org.spillway.scaler.Scaler;
import org.spillway.scaler.plan.Plan;

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
        /**
         * @param version empty for one that comes with the release
         * @return empty when there is no such policy, or not in that version
         */
        Optional<ScalingPolicy<?>> find(String name, String version);

        /** Those that come with the release, which have no versions of their own. */
        static Policies builtIn(Map<String, ScalingPolicy<?>> policies) {
            Map<String, ScalingPolicy<?>> known = Map.copyOf(policies);
            return (name, version) -> version.isEmpty() ? Optional.ofNullable(known.get(name)) : Optional.empty();
        }
    }

    /** What came of it. */
    public enum Verdict {
        IDENTICAL,
        DIFFERS,
        /** It cannot be decided again: its policy is gone, or it was journalled without its settings. */
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
        String version = made.version().isEmpty() ? "" : " in version " + made.version();
        ScalingPolicy<?> policy = policies.find(made.policy(), made.version()).orElse(null);
        if (policy == null) {
            return notReplayed(decision, "policy " + made.policy() + version + " is not there any more");
        }
        Record settings = PolicyRecord.settings(made, policy).orElse(null);
        if (settings == null) {
            return notReplayed(decision, "the settings of then do not fit policy " + made.policy() + " of now");
        }
        ZoneId zone;
        try {
            zone = ZoneId.of(made.zone());
        } catch (DateTimeException unknown) {
            return notReplayed(decision, "time zone " + made.zone() + " is not known here");
        }
        List<String> differences = differences(decision.plan(), again(policy, settings, zone, decision.snapshot()));
        return new Outcome(
                decision.id(),
                decision.plan().at(),
                made.policy(),
                differences.isEmpty() ? Verdict.IDENTICAL : Verdict.DIFFERS,
                differences);
    }

    private static Outcome notReplayed(DecisionEntry decision, String why) {
        return new Outcome(
                decision.id(), decision.plan().at(), decision.plan().policy(), Verdict.NOT_REPLAYED, List.of(why));
    }

    private static <S extends Record> Plan again(
            ScalingPolicy<S> policy, Record settings, ZoneId zone, ClusterSnapshot snapshot) {
        @SuppressWarnings("unchecked") // Read as this policy's own record.
        S typed = (S) policy.defaults().getClass().cast(settings);
        return new Scaler<>(now -> List.<Demand>of(), new NoFleet(), now -> Money.ZERO, policy, typed, zone)
                .plan(snapshot);
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
                    && then.steps().get(i).equals(now.steps().get(i));
            if (!equal) {
                differences.add("step " + (i + 1) + ": was " + was + ", is " + is);
            }
        }
        if (differences.isEmpty() && !then.equals(now)) {
            differences.add("was " + then + ", is " + now);
        }
        return differences;
    }

    /** A replay has its snapshot already. */
    private static final class NoFleet implements Fleet {
        @Override
        public List<NodeView> nodes() {
            return List.of();
        }

        @Override
        public List<Offering> offerings() {
            return List.of();
        }

        @Override
        public List<LaunchRecord> launches() {
            return List.of();
        }

        @Override
        public Map<String, Integer> maxNodes() {
            return Map.of();
        }
    }
}
