package org.spillway.scaler.simulate;

import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.LaunchRecord;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.scaler.Fleet;
import org.spillway.scaler.Scaler;
import org.spillway.scaler.plan.Plan;
import org.spillway.scaler.plan.Step;

/** The production scaler with one policy, and a count of what it decided. */
final class Decider {
    private final Asked asked;
    private final String label;
    private long decisions;
    private long changes;
    private long failures;

    private Decider(String label, Asked asked) {
        this.label = label;
        this.asked = asked;
    }

    /** Hides the type of the settings. */
    private interface Asked {
        Plan plan(ClusterSnapshot snapshot);

        Optional<Instant> nextChange(ClusterSnapshot snapshot);
    }

    static <S extends Record> Decider of(PolicyChoice<S> choice, ZoneId zone) {
        // The ports are not asked: the snapshot is made here, from the shapes as they are kept.
        Scaler<S> scaler =
                new Scaler<>(now -> List.of(), NOTHING, now -> Money.ZERO, choice.policy(), choice.settings(), zone);
        return new Decider(choice.label(), new Asked() {
            @Override
            public Plan plan(ClusterSnapshot snapshot) {
                return scaler.plan(snapshot);
            }

            @Override
            public Optional<Instant> nextChange(ClusterSnapshot snapshot) {
                return choice.policy().nextChange(snapshot, choice.settings());
            }
        });
    }

    Plan plan(ClusterSnapshot snapshot) {
        Plan plan = asked.plan(snapshot);
        decisions++;
        if (plan.changesAnything()) {
            changes++;
        }
        String failed = "policy " + plan.policy() + " failed: ";
        if (plan.steps().stream()
                .anyMatch(
                        step -> step instanceof Step.Hold hold && hold.reason().startsWith(failed))) {
            failures++;
        }
        return plan;
    }

    Optional<Instant> nextChange(ClusterSnapshot snapshot) {
        return asked.nextChange(snapshot);
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

    private static final Fleet NOTHING = new Fleet() {
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
    };
}
